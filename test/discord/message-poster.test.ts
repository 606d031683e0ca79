import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../src/discord/answers/split.js';
import { en } from '../../src/words/en.js';
import { discordReply } from './reply-workshop.js';

describe('a reply on Discord', () => {
  it('pings nobody, unfurls nothing, and carries nonce, reference and button', async () => {
    const { discord, channel, question, source, deliver } = await discordReply();
    const ended = deliver();
    source.push('@everyone look: https://example.org');
    const message = await discord.replyTo(question);
    source.push(' now');
    await discord.botMessage(channel, ({ content }) => content.endsWith('now'));
    source.end();
    expect(await ended).toBeNull();
    const quiet = { allowed_mentions: { parse: [], replied_user: false }, flags: 4 };
    const button = { type: 2, style: 2, label: 'Stop', custom_id: `stop:${question.id}` };
    expect(discord.postsIn(channel).map(({ body }) => body)).toMatchObject([
      {
        ...quiet,
        nonce: `${question.id}.0`,
        enforce_nonce: true,
        message_reference: { message_id: question.id, fail_if_not_exists: false },
        components: [{ type: 1, components: [button] }],
      },
    ]);
    for (const { body } of discord.editsOf(message)) expect(body).toMatchObject(quiet);
    expect(discord.editsOf(message).at(-1)?.body).toMatchObject({ components: [] });
    expect(discord.pings()).toEqual([]);
    expect(discord.botMessagesIn(channel)).toMatchObject([{ content: expect.stringMatching(/now$/), components: [] }]);
  });

  it('shows a long answer in messages and a file, without a button in the end', async () => {
    const { discord, channel, reply, source, deliver } = await discordReply();
    const answer = `Code:\n\`\`\`ts\n${'const someName = someFunction();\n'.repeat(400)}\`\`\`\nDone.`;
    const ended = deliver();
    for (const piece of answer.match(/[\s\S]{1,500}/g) ?? []) source.push(piece);
    source.end();
    expect(await ended).toBeNull();
    const messages = discord.botMessagesIn(channel);
    expect(messages.map(({ content }) => content)).toEqual([...splitAnswer(answer).slice(0, 5), en.reply.wholeInFile]);
    expect(messages.map(({ id }) => id)).toEqual(reply.messageIds());
    expect(messages.flatMap(({ components }) => components)).toEqual([]);
    expect(messages[5]?.attachments).toMatchObject([{ filename: 'answer.md' }]);
    const [file] = discord.postsIn(channel).flatMap(({ files }) => files);
    expect(file?.bytes.toString()).toBe(answer);
  });

  it('is there once when the answer to its request is lost', async () => {
    const { discord, channel, source, deliver } = await discordReply();
    discord.faults.add(
      { method: 'POST', path: `/channels/${channel.id}/messages` },
      { kind: 'lose-answer', how: 'reset' },
    );
    const ended = deliver();
    source.push('once ');
    await discord.botMessage(channel);
    source.push('and whole');
    source.end();
    expect(await ended).toBeNull();
    expect(discord.botMessagesIn(channel)).toMatchObject([{ content: 'once and whole', components: [] }]);
  });

  it('removes its messages', async () => {
    const { discord, channel, reply, source, deliver } = await discordReply();
    const ended = deliver();
    source.push('x'.repeat(3_000));
    await discord.botMessage(channel, ({ content }) => content.length === 1_000);
    await reply.remove();
    expect(await ended).toMatchObject({ code: 'gone' });
    expect(discord.botMessagesIn(channel)).toEqual([]);
  });

  it('ends with `gone` when somebody deletes its message', async () => {
    const { discord, question, source, deliver } = await discordReply();
    const ended = deliver();
    source.push('one');
    discord.deleteMessage(await discord.replyTo(question));
    source.push(' two');
    expect(await ended).toMatchObject({ name: 'DeliveryError', code: 'gone' });
  });

  it('is sent when the question is gone already', async () => {
    const { discord, channel, question, source, deliver } = await discordReply();
    discord.deleteMessage(question);
    source.push('one');
    source.end();
    expect(await deliver()).toBeNull();
    expect(discord.botMessagesIn(channel)).toMatchObject([{ content: 'one' }]);
  });
});
