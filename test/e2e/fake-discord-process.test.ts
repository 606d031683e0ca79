import { describe, expect, it, onTestFinished } from 'vitest';
import { readyClient } from '../fake-discord/harness.js';
import { startFakeDiscordProcess } from '../support/fake-discord/index.js';

describe('a fake Discord in its own process', () => {
  it('has the same API over IPC, errors of calls included', async () => {
    const discord = await startFakeDiscordProcess();
    onTestFinished(() => discord.close());
    const guild = await discord.addGuild({ name: 'Workshop' });
    const channel = await discord.addChannel(guild, { name: 'general' });
    const ada = await discord.addUser({ name: 'ada' });
    const client = await readyClient(discord);
    client.on('messageCreate', (message) => {
      if (!message.author.bot) void message.reply('here');
    });
    const question = await discord.say(ada, channel, 'there?');
    const answer = await discord.replyTo(question);
    expect(answer.content).toBe('here');
    const posts = await discord.journal.rest({ method: 'POST', path: /messages$/ });
    expect(posts.map(({ status }) => status)).toEqual([200]);
    await expect(discord.openDm({ id: '1' })).rejects.toThrow('knows no user 1');
    await expect(discord.journal.waitFor({ t: 'NOTHING' }, { timeoutMs: 20 })).rejects.toThrow('not seen within 20 ms');
  });
});
