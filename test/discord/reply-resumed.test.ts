import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../src/discord/answers/split.js';
import { recordingChannel } from './recording-channel.js';
import { replyWorkshop } from './reply-workshop.js';

const answer = 'word '.repeat(900);

/** The deliveries of one answer, as a store would keep them. */
function deliveries(messageIds: Record<number, string> = {}) {
  return {
    messageIds,
    plan: async (chunk: number) => ({ nonce: `n${chunk}`, messageId: messageIds[chunk] ?? null }),
    confirm: async (chunk: number, messageId: string) => {
      messageIds[chunk] = messageId;
    },
  };
}

describe('a reply with planned chunks', () => {
  it('confirms the message of every chunk, sent under its nonce', async () => {
    const { messageIds, ...parts } = deliveries();
    const { channel, deliver, source, end } = replyWorkshop(parts);
    source.push(answer);
    source.end();
    const ended = deliver();
    await end();
    expect(await ended).toBeNull();
    expect(messageIds).toEqual({ 0: 'm0', 1: 'm1', 2: 'm2' });
    expect(channel.requests.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['post n0', 'post n1', 'post n2']);
  });

  it('edits the messages that exist and sends only what is missing', async () => {
    const channel = recordingChannel();
    channel.messages.set('old', { content: 'wor', stoppable: true, file: null });
    const { channel: same, deliver, source, end, contents, buttons } = replyWorkshop(deliveries({ 0: 'old' }), channel);
    source.push(answer);
    source.end();
    const ended = deliver();
    await end();
    expect(await ended).toBeNull();
    expect(same.requests.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['edit old', 'post n1', 'post n2']);
    expect(contents()).toEqual(splitAnswer(answer));
    expect(buttons()).not.toContain(true);
  });

  it('brings a message up to date that was sent but never recorded', async () => {
    const channel = recordingChannel();
    const stop = { triggerId: 't1', label: 'Stop' };
    await channel.post({ content: 'wor', stoppable: true, file: null }, { nonce: 'n0', replyTo: 't1' }, stop);
    const { deliver, source, end, shown } = replyWorkshop(deliveries(), channel);
    source.push('word');
    source.end();
    const ended = deliver();
    await end();
    expect(await ended).toBeNull();
    expect(shown()).toEqual([{ content: 'word', stoppable: false, file: null }]);
  });

  it('ends with `gone` when the message was deleted meanwhile', async () => {
    const { deliver, source, end, kinds } = replyWorkshop(deliveries({ 0: 'unknown' }));
    source.push('word');
    source.end();
    const ended = deliver();
    await end();
    expect(await ended).toMatchObject({ code: 'gone' });
    expect(kinds()).toEqual(['edit']);
  });
});
