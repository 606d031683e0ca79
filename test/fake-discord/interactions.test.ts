import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
  SlashCommandBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { errorCode, nextEvent, openGuild } from './harness.js';

const COMMANDS = [
  new SlashCommandBuilder()
    .setName('memory')
    .setDescription('How this server is remembered')
    .addSubcommandGroup((group) =>
      group
        .setName('strategy')
        .setDescription('Choose a strategy')
        .addSubcommand((sub) =>
          sub
            .setName('window')
            .setDescription('The newest k messages')
            .addIntegerOption((k) => k.setName('k').setDescription('How many').setRequired(true).setMinValue(0)),
        ),
    )
    .toJSON(),
  new SlashCommandBuilder()
    .setName('model')
    .setDescription('Choose a model')
    .addStringOption((name) => name.setName('name').setDescription('Which').setAutocomplete(true).setRequired(true))
    .addUserOption((user) => user.setName('for').setDescription('Whom'))
    .toJSON(),
  new SlashCommandBuilder()
    .setName('admin')
    .setDescription('x')
    .setDefaultMemberPermissions('32')
    .setContexts(0)
    .toJSON(),
];

/** Registers the commands; `start` uses one of them. */
async function openFixture() {
  const { discord, guild, channel, ada, client } = await openGuild();
  await client.application.commands.set(COMMANDS);
  const nextInteraction = <T extends Interaction>() => nextEvent<T>(client, 'interactionCreate');
  const start = async () => {
    const arriving = nextInteraction<ChatInputCommandInteraction>();
    const handle = discord.command(ada, channel, 'model', { name: 'x' });
    return { handle, interaction: await arriving };
  };
  return { discord, guild, channel, ada, nextInteraction, start };
}

describe('commands', () => {
  it('take options of a subcommand and a deferred ephemeral response', async () => {
    const { discord, guild, channel, ada, nextInteraction } = await openFixture();
    discord.addMember(guild, ada, { permissions: ['ManageGuild'] });
    const arriving = nextInteraction<ChatInputCommandInteraction>();
    const handle = discord.command(ada, channel, 'memory strategy window', { k: 8 }, { locale: 'zh-CN' });
    const interaction = await arriving;
    expect(interaction.options.getSubcommandGroup()).toBe('strategy');
    expect(interaction.options.getInteger('k')).toBe(8);
    expect(interaction.locale).toBe('zh-CN');
    expect(interaction.memberPermissions?.has('ManageGuild')).toBe(true);
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.editReply({ content: 'window of 8' });
    expect((await handle.reply()).content).toBe('window of 8');
    expect(handle.record().ephemeral).toBe(true);
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('post the response and follow-ups, which can be edited and deleted', async () => {
    const { discord, channel, start } = await openFixture();
    const { interaction, handle } = await start();
    const { resource } = await interaction.reply({ content: 'one', withResponse: true });
    expect(resource?.message?.id).toBe((await handle.reply()).id);
    const more = await interaction.followUp('two');
    await interaction.editReply('one!');
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['one!', 'two']);
    expect((await handle.followUp()).id).toBe(more.id);
    await interaction.deleteReply();
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['two']);
    expect(await errorCode(interaction.editReply('gone'))).toBe(10008);
  });

  it('let a follow-up complete a deferred response, which stays ephemeral', async () => {
    const { discord, channel, start } = await openFixture();
    const { interaction, handle } = await start();
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.followUp('filled');
    expect((await handle.reply()).content).toBe('filled');
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('accept one response, and only in time', async () => {
    const { discord, start } = await openFixture();
    const { interaction } = await start();
    await interaction.reply('one');
    const again = { type: 4, data: { content: 'two' } };
    const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
    expect(await errorCode(interaction.client.rest.post(path, { body: again, auth: false }))).toBe(40060);
    const { interaction: late } = await start();
    discord.clock.advance(3_001);
    expect(await errorCode(late.reply('late'))).toBe(10062);
    discord.clock.advance(15 * 60_000);
    expect(await errorCode(interaction.followUp('too late'))).toBe(50027);
  });

  it('reject empty and too long responses', async () => {
    const { start } = await openFixture();
    const { interaction } = await start();
    expect(await errorCode(interaction.reply({ content: '' }))).toBe(50006);
    expect(await errorCode(interaction.reply({ content: 'x'.repeat(2001) }))).toBe(50035);
  });

  it('are offered only where and to whom Discord offers them', async () => {
    const { discord, channel, ada } = await openFixture();
    expect(() => discord.command(ada, channel, 'nothing')).toThrow('registered: memory, model, admin');
    expect(() => discord.command(ada, channel, 'admin')).toThrow('default_member_permissions');
    expect(() => discord.command(ada, discord.openDm(ada), 'admin')).toThrow('contexts');
    expect(() => discord.command(ada, channel, 'memory strategy')).toThrow('needs one of: window');
    expect(() => discord.command(ada, channel, 'memory strategy window', { k: -1 })).toThrow('below 0');
    expect(() => discord.command(ada, channel, 'memory strategy window')).toThrow('needs k');
    discord.command(ada, channel, 'admin', {}, { force: true });
  });

  it('resolve users and return autocomplete choices', async () => {
    const { discord, channel, ada, nextInteraction } = await openFixture();
    const typed = nextInteraction<AutocompleteInteraction>();
    const typing = discord.autocomplete(ada, channel, 'model', { name: 'gp' }, 'name');
    const asking = await typed;
    expect(asking.options.getFocused()).toBe('gp');
    await asking.respond([{ name: 'The big one', value: 'gpt' }]);
    expect(await typing.choices()).toEqual([{ name: 'The big one', value: 'gpt' }]);
    const arriving = nextInteraction<ChatInputCommandInteraction>();
    discord.command(ada, channel, 'model', { name: 'gpt', for: ada });
    expect((await arriving).options.getUser('for')?.username).toBe('ada');
  });
});

describe('components', () => {
  it('take a click, show a modal and take its text', async () => {
    const { discord, channel, ada, start, nextInteraction } = await openFixture();
    const { interaction, handle } = await start();
    const button = { type: 2, style: 1, label: 'Edit', custom_id: 'edit' };
    await interaction.reply({
      content: 'summary',
      components: [{ type: 1, components: [button] }],
      flags: MessageFlags.Ephemeral,
    });
    const clicked = nextInteraction<ButtonInteraction>();
    const click = discord.click(ada, await handle.reply(), 'edit');
    const input = { type: 4, custom_id: 'text', style: 2, label: 'Summary', value: 'old' };
    await (await clicked).showModal({
      title: 'Edit',
      custom_id: 'form',
      components: [{ type: 1, components: [input] }],
    });
    expect(await click.modal()).toMatchObject({ title: 'Edit' });
    const submitted = nextInteraction<ModalSubmitInteraction>();
    const submit = discord.submitModal(ada, click, { text: 'new' });
    const form = await submitted;
    expect(form.fields.getTextInputValue('text')).toBe('new');
    expect(form.isFromMessage()).toBe(true);
    if (form.isFromMessage()) await form.update({ content: 'saved', components: [] });
    expect((await submit.reply()).content).toBe('saved');
    expect((await handle.reply()).content).toBe('saved');
    expect(discord.messagesIn(channel)).toEqual([]);
    expect(() => discord.click(ada, { id: handle.record().originalId ?? '' }, 'edit')).toThrow('it has: none');
  });

  it('are updated at once or after a deferral', async () => {
    const { discord, channel, ada, start, nextInteraction } = await openFixture();
    const { interaction: command } = await start();
    const button = { type: 2, style: 4, label: 'Forget', custom_id: 'forget' };
    await command.reply({ content: 'sure?', components: [{ type: 1, components: [button] }] });
    const [shown] = discord.messagesIn(channel);
    const clicked = nextInteraction<ButtonInteraction>();
    const click = discord.click(ada, shown!, 'forget');
    const interaction = await clicked;
    await interaction.deferUpdate();
    await interaction.editReply({ content: 'forgotten', components: [] });
    expect((await click.reply()).content).toBe('forgotten');
    expect(discord.editsOf(shown!)).toHaveLength(1);
    expect(discord.messagesIn(channel)).toMatchObject([{ id: shown?.id, content: 'forgotten', components: [] }]);
  });
});
