import type { TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { codeOf, openWorkshop } from './workshop.js';

describe('sending messages', () => {
  it('refuses what is empty or too long', async () => {
    const { text, discord, channel } = await openWorkshop();
    expect(await codeOf(text.send({ content: '' }))).toBe(50006);
    expect(await codeOf(text.send({ content: ' \n ' }))).toBe(50006);
    expect(await codeOf(text.send('x'.repeat(2001)))).toBe(50035);
    expect(await codeOf(text.send('x'.repeat(2000)))).toBe('done');
    expect(await codeOf(text.send({ content: 'x', nonce: 'n'.repeat(26), enforceNonce: true }))).toBe(50035);
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it('refuses by the rights that the bot has there', async () => {
    const { discord, guild, client, text, channel, ada } = await openWorkshop();
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['SendMessages'] });
    expect(await codeOf(text.send('x'))).toBe(50013);
    discord.setOverwrite(channel, { for: guild, deny: ['ViewChannel'] });
    discord.setOverwrite(channel, { for: discord.botUser });
    expect(await codeOf(text.send('x'))).toBe(50001);
    discord.setOverwrite(channel, { for: discord.botUser, allow: ['ViewChannel'] });
    expect(await codeOf(text.send('x'))).toBe('done');
    expect(await codeOf(text.messages.fetch('1'))).toBe(10008);
    discord.deleteChannel(channel);
    expect(await codeOf(text.send('x'))).toBe(10003);
    discord.setRefusesDms(ada, true);
    expect(await codeOf(client.users.send(ada.id, 'x'))).toBe(50007);
  });

  it('refuses in locked and edits in archived threads, and a post opens an archived one', async () => {
    const { discord, client, channel, ada } = await openWorkshop();
    const thread = discord.addThread(channel, { name: 'aside', owner: ada });
    const aside = (await client.channels.fetch(thread.id)) as unknown as TextChannel;
    const sent = await aside.send('one');
    discord.archiveThread(thread);
    expect(
      await codeOf(client.rest.patch(`/channels/${thread.id}/messages/${sent.id}`, { body: { content: '2' } })),
    ).toBe(50083);
    await aside.send('three');
    expect(thread.thread?.archived).toBe(false);
    discord.lockThread(thread);
    expect(await codeOf(aside.send('four'))).toBe(160005);
  });

  it('returns the earlier message for a nonce that it enforces', async () => {
    const { discord, text, channel } = await openWorkshop();
    const first = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    const again = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    expect(again.id).toBe(first.id);
    discord.clock.advance(6 * 60_000);
    const late = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    expect(late.id).not.toBe(first.id);
    expect(discord.botMessagesIn(channel)).toHaveLength(2);
  });

  it('refuses a reply to nothing, unless it may go without', async () => {
    const { text } = await openWorkshop();
    const reply = (failIfNotExists: boolean) =>
      text.send({ content: 'x', reply: { messageReference: '1', failIfNotExists } });
    expect(await codeOf(reply(true))).toBe(50035);
    expect((await reply(false)).reference).toBeNull();
  });

  it('works out who would be notified, also for edits', async () => {
    const { discord, guild, ada, client, channel } = await openWorkshop();
    const role = discord.addRole(guild, { name: 'crew', mentionable: true });
    const send = (body: object) => client.rest.post(`/channels/${channel.id}/messages`, { body });
    const content = `@everyone <@${ada.id}> <@&${role.id}>`;
    const sent = (await send({ content })) as { id: string };
    await send({ content, allowed_mentions: { parse: [] } });
    await send({ content, allowed_mentions: { parse: ['roles'], users: [ada.id] } });
    await client.rest.patch(`/channels/${channel.id}/messages/${sent.id}`, { body: { content: `<@${ada.id}>` } });
    const all = { everyone: false, roles: [role.id], users: [ada.id], repliedUser: null };
    expect(discord.pings()).toEqual([all, all, { ...all, roles: [] }]);
    discord.addMember(guild, discord.botUser, { permissions: ['MentionEveryone'] });
    await send({ content: '@everyone' });
    expect(discord.pings().at(-1)?.everyone).toBe(true);
  });
});
