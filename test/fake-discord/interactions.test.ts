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
import { next } from './harness.js';
import { codeOf, openWorkshop } from './workshop.js';

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

async function workshop() {
  const { discord, guild, channel, ada, client } = await openWorkshop();
  await client.application.commands.set(COMMANDS);
  const comes = <T extends Interaction>() => next<T>(client, 'interactionCreate');
  const start = async () => {
    const asked = comes<ChatInputCommandInteraction>();
    const used = discord.command(ada, channel, 'model', { name: 'x' });
    return { used, asked: await asked };
  };
  return { discord, guild, channel, ada, comes, start };
}

describe('commands', () => {
  it('carry a subcommand of a group in and a deferred ephemeral answer out', async () => {
    const { discord, guild, channel, ada, comes } = await workshop();
    discord.addMember(guild, ada, { permissions: ['ManageGuild'] });
    const asked = comes<ChatInputCommandInteraction>();
    const used = discord.command(ada, channel, 'memory strategy window', { k: 8 }, { locale: 'zh-CN' });
    const interaction = await asked;
    expect(interaction.options.getSubcommandGroup()).toBe('strategy');
    expect(interaction.options.getInteger('k')).toBe(8);
    expect(interaction.locale).toBe('zh-CN');
    expect(interaction.memberPermissions?.has('ManageGuild')).toBe(true);
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.editReply({ content: 'window of 8' });
    expect((await used.reply()).content).toBe('window of 8');
    expect(used.record().ephemeral).toBe(true);
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('put a public answer and its follow-ups into the channel, and can edit and delete them', async () => {
    const { discord, channel, start } = await workshop();
    const { asked, used } = await start();
    const { resource } = await asked.reply({ content: 'one', withResponse: true });
    expect(resource?.message?.id).toBe((await used.reply()).id);
    const more = await asked.followUp('two');
    await asked.editReply('one!');
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['one!', 'two']);
    expect((await used.followUp()).id).toBe(more.id);
    await asked.deleteReply();
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['two']);
    expect(await codeOf(asked.editReply('gone'))).toBe(10008);
  });

  it('can have a deferral filled by a follow-up, which stays as private as the deferral', async () => {
    const { discord, channel, start } = await workshop();
    const { asked, used } = await start();
    await asked.deferReply({ flags: MessageFlags.Ephemeral });
    await asked.followUp('filled');
    expect((await used.reply()).content).toBe('filled');
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('must be answered once, and in time', async () => {
    const { discord, start } = await workshop();
    const { asked } = await start();
    await asked.reply('one');
    const again = { type: 4, data: { content: 'two' } };
    const path = `/interactions/${asked.id}/${asked.token}/callback` as const;
    expect(await codeOf(asked.client.rest.post(path, { body: again, auth: false }))).toBe(40060);
    const { asked: late } = await start();
    discord.clock.advance(3_001);
    expect(await codeOf(late.reply('late'))).toBe(10062);
    discord.clock.advance(15 * 60_000);
    expect(await codeOf(asked.followUp('too late'))).toBe(50027);
  });

  it('refuse empty and overlong answers', async () => {
    const { start } = await workshop();
    const { asked } = await start();
    expect(await codeOf(asked.reply({ content: '' }))).toBe(50006);
    expect(await codeOf(asked.reply({ content: 'x'.repeat(2001) }))).toBe(50035);
  });

  it('are only offered where and to whom Discord offers them', async () => {
    const { discord, channel, ada } = await workshop();
    expect(() => discord.command(ada, channel, 'nothing')).toThrow('registered: memory, model, admin');
    expect(() => discord.command(ada, channel, 'admin')).toThrow('default_member_permissions');
    expect(() => discord.command(ada, discord.openDm(ada), 'admin')).toThrow('contexts');
    expect(() => discord.command(ada, channel, 'memory strategy')).toThrow('needs one of: window');
    expect(() => discord.command(ada, channel, 'memory strategy window', { k: -1 })).toThrow('below 0');
    expect(() => discord.command(ada, channel, 'memory strategy window')).toThrow('needs k');
    discord.command(ada, channel, 'admin', {}, { force: true });
  });

  it('resolve users and send autocomplete choices', async () => {
    const { discord, channel, ada, comes } = await workshop();
    const typed = comes<AutocompleteInteraction>();
    const typing = discord.autocomplete(ada, channel, 'model', { name: 'gp' }, 'name');
    const asking = await typed;
    expect(asking.options.getFocused()).toBe('gp');
    await asking.respond([{ name: 'The big one', value: 'gpt' }]);
    expect(await typing.choices()).toEqual([{ name: 'The big one', value: 'gpt' }]);
    const asked = comes<ChatInputCommandInteraction>();
    discord.command(ada, channel, 'model', { name: 'gpt', for: ada });
    expect((await asked).options.getUser('for')?.username).toBe('ada');
  });
});

describe('components', () => {
  it('carry a click in, a modal out, and its text back', async () => {
    const { discord, channel, ada, start, comes } = await workshop();
    const { asked, used } = await start();
    const button = { type: 2, style: 1, label: 'Edit', custom_id: 'edit' };
    await asked.reply({
      content: 'summary',
      components: [{ type: 1, components: [button] }],
      flags: MessageFlags.Ephemeral,
    });
    const clicked = comes<ButtonInteraction>();
    const click = discord.click(ada, await used.reply(), 'edit');
    const input = { type: 4, custom_id: 'text', style: 2, label: 'Summary', value: 'old' };
    await (await clicked).showModal({
      title: 'Edit',
      custom_id: 'form',
      components: [{ type: 1, components: [input] }],
    });
    expect(await click.modal()).toMatchObject({ title: 'Edit' });
    const submitted = comes<ModalSubmitInteraction>();
    const submit = discord.submitModal(ada, click, { text: 'new' });
    const form = await submitted;
    expect(form.fields.getTextInputValue('text')).toBe('new');
    expect(form.isFromMessage()).toBe(true);
    if (form.isFromMessage()) await form.update({ content: 'saved', components: [] });
    expect((await submit.reply()).content).toBe('saved');
    expect((await used.reply()).content).toBe('saved');
    expect(discord.messagesIn(channel)).toEqual([]);
    expect(() => discord.click(ada, { id: used.record().originalId ?? '' }, 'edit')).toThrow('it has: none');
  });

  it('are updated at once or after a deferral', async () => {
    const { discord, channel, ada, start, comes } = await workshop();
    const { asked } = await start();
    const button = { type: 2, style: 4, label: 'Forget', custom_id: 'forget' };
    await asked.reply({ content: 'sure?', components: [{ type: 1, components: [button] }] });
    const [shown] = discord.messagesIn(channel);
    const clicked = comes<ButtonInteraction>();
    const click = discord.click(ada, shown!, 'forget');
    const interaction = await clicked;
    await interaction.deferUpdate();
    await interaction.editReply({ content: 'forgotten', components: [] });
    expect((await click.reply()).content).toBe('forgotten');
    expect(discord.editsOf(shown!)).toHaveLength(1);
    expect(discord.messagesIn(channel)).toMatchObject([{ id: shown?.id, content: 'forgotten', components: [] }]);
  });
});
