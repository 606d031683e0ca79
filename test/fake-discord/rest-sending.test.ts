import type { TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { errorCode, openGuild } from './harness.js';

describe('posting a message', () => {
  it('rejects empty and too long messages', async () => {
    const { text, discord, channel } = await openGuild();
    expect(await errorCode(text.send({ content: '' }))).toBe(50006);
    expect(await errorCode(text.send({ content: ' \n ' }))).toBe(50006);
    expect(await errorCode(text.send('x'.repeat(2001)))).toBe(50035);
    expect(await errorCode(text.send('x'.repeat(2000)))).toBe('done');
    expect(await errorCode(text.send({ content: 'x', nonce: 'n'.repeat(26), enforceNonce: true }))).toBe(50035);
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it("rejects by the bot's permissions in the channel", async () => {
    const { discord, guild, client, text, channel, ada } = await openGuild();
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['SendMessages'] });
    expect(await errorCode(text.send('x'))).toBe(50013);
    discord.setOverwrite(channel, { for: guild, deny: ['ViewChannel'] });
    discord.setOverwrite(channel, { for: discord.botUser });
    expect(await errorCode(text.send('x'))).toBe(50001);
    discord.setOverwrite(channel, { for: discord.botUser, allow: ['ViewChannel'] });
    expect(await errorCode(text.send('x'))).toBe('done');
    expect(await errorCode(text.messages.fetch('1'))).toBe(10008);
    discord.deleteChannel(channel);
    expect(await errorCode(text.send('x'))).toBe(10003);
    discord.setRefusesDms(ada, true);
    expect(await errorCode(client.users.send(ada.id, 'x'))).toBe(50007);
  });

  it('rejects posts to locked and edits in archived threads; a post unarchives', async () => {
    const { discord, client, channel, ada } = await openGuild();
    const thread = discord.addThread(channel, { name: 'aside', owner: ada });
    const aside = (await client.channels.fetch(thread.id)) as unknown as TextChannel;
    const sent = await aside.send('one');
    discord.archiveThread(thread);
    expect(
      await errorCode(client.rest.patch(`/channels/${thread.id}/messages/${sent.id}`, { body: { content: '2' } })),
    ).toBe(50083);
    await aside.send('three');
    expect(thread.thread?.archived).toBe(false);
    discord.lockThread(thread);
    expect(await errorCode(aside.send('four'))).toBe(160005);
  });

  it('returns the earlier message for an enforced nonce', async () => {
    const { discord, text, channel } = await openGuild();
    const first = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    const again = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    expect(again.id).toBe(first.id);
    discord.clock.advance(6 * 60_000);
    const late = await text.send({ content: 'once', nonce: 'turn-1', enforceNonce: true });
    expect(late.id).not.toBe(first.id);
    expect(discord.botMessagesIn(channel)).toHaveLength(2);
  });

  it('rejects a reply to an unknown message unless failIfNotExists is false', async () => {
    const { text } = await openGuild();
    const reply = (failIfNotExists: boolean) =>
      text.send({ content: 'x', reply: { messageReference: '1', failIfNotExists } });
    expect(await errorCode(reply(true))).toBe(50035);
    expect((await reply(false)).reference).toBeNull();
  });

  it('computes who is notified, also by edits', async () => {
    const { discord, guild, ada, client, channel } = await openGuild();
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
