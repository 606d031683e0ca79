import { describe, expect, it, vi } from 'vitest';
import { createReply } from '../../src/discord/answers/reply.js';
import { splitAnswer } from '../../src/discord/answers/split.js';
import { en } from '../../src/words/en.js';
import { gate } from '../support/gate.js';
import { handFedPieces } from './recording-channel.js';
import { INTERVAL, replyOptions, replyWorkshop } from './reply-workshop.js';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} ${'x'.repeat(80)}\n`).join('');
const gaps = (times: number[]) => times.slice(1).map((at, i) => at - times[i]!);

describe('a reply', () => {
  it('sends the first text at once, as a reply to the question and with a stop button', async () => {
    const { channel, deliver, feed, end } = replyWorkshop();
    const ended = deliver();
    await feed(' \n', 10);
    expect(channel.requests).toEqual([]);
    await feed('He', 0);
    expect(channel.requests).toMatchObject([
      { kind: 'post', view: { content: 'He', stoppable: true }, posting: { nonce: 't1.0', replyTo: 't1' } },
    ]);
    await end();
    expect(await ended).toBeNull();
  });

  it('edits at most once in an interval, with the newest text, and sends the last edit', async () => {
    const { channel, deliver, feed, end, contents, buttons } = replyWorkshop();
    const ended = deliver();
    for (let i = 0; i < 100; i += 1) await feed(`word${i} `, 50);
    await end();
    expect(await ended).toBeNull();
    expect(Math.min(...gaps(channel.requests.map(({ at }) => at)))).toBeGreaterThanOrEqual(INTERVAL);
    expect(channel.requests).toHaveLength(5);
    expect(channel.requests[1]?.view?.content).toMatch(/word29$/);
    expect(contents()).toEqual([expect.stringMatching(/^word0 [\s\S]* word99$/)]);
    expect(buttons()).toEqual([false]);
  });

  it('counts the interval from the end of a slow request, and has one under way at a time', async () => {
    const { channel, deliver, feed, end, contents } = replyWorkshop();
    channel.latency = 4_000;
    const ended = deliver();
    for (let i = 0; i < 20; i += 1) await feed(`word${i} `, 1_000);
    await end();
    expect(await ended).toBeNull();
    expect(Math.min(...gaps(channel.requests.map(({ at }) => at)))).toBeGreaterThanOrEqual(4_000 + INTERVAL);
    expect(channel.atOnce).toBe(1);
    expect(contents()[0]).toMatch(/word19$/);
  });

  it('keeps the interval over consecutive answers in a channel', async () => {
    const { channel, editThrottle, deliver, feed, pass, source, contents } = replyWorkshop();
    const ended = deliver();
    await feed('one', 100);
    source.end();
    await pass(INTERVAL);
    expect(await ended).toBeNull();
    const next = handFedPieces();
    const second = createReply(replyOptions({ channel, triggerId: 't2', editThrottle })).deliver(next.pieces);
    next.push('two');
    await pass(10);
    next.end();
    await pass(10 * INTERVAL);
    await second;
    const edits = channel.requests.filter(({ kind }) => kind === 'edit').map(({ at }) => at);
    expect(gaps(edits)).toHaveLength(1);
    expect(gaps(edits)[0]).toBeGreaterThanOrEqual(INTERVAL);
    expect(contents()).toEqual(['one', 'two']);
  });

  it.each(Array.from({ length: 16 }, (_, i) => i))(
    'takes the button away also when the text ends %i ticks after its message was recorded',
    async (ticks) => {
      const recorded = gate();
      const { reply, pass, buttons } = replyWorkshop({ confirm: async () => recorded.open() });
      const text = async function* () {
        yield 'all of it';
        await recorded.opened;
        for (let i = 0; i < ticks; i += 1) await Promise.resolve();
      };
      const ended = reply.deliver(text());
      await pass(4 * INTERVAL);
      await ended;
      expect(buttons()).toEqual([false]);
    },
  );

  it('never sends a text that is shown already', async () => {
    const { deliver, feed, end, kinds, buttons } = replyWorkshop();
    const ended = deliver();
    await feed('done', 10 * INTERVAL);
    await feed('\n\n', 10 * INTERVAL);
    expect(kinds()).toEqual(['post']);
    await end();
    expect(await ended).toBeNull();
    expect(kinds()).toEqual(['post', 'edit']);
    expect(buttons()).toEqual([false]);
  });

  it('shows an answer that came whole in one request', async () => {
    const { deliver, source, end, shown, kinds } = replyWorkshop();
    source.push('short');
    source.end();
    const ended = deliver();
    await end();
    expect(await ended).toBeNull();
    expect(kinds()).toEqual(['post']);
    expect(shown()).toEqual([{ content: 'short', stoppable: false, file: null }]);
  });

  it('moves the stop button to the newest message, and ends as the splitter says', async () => {
    const { channel, reply, deliver, feed, end, contents, buttons } = replyWorkshop();
    const answer = `${lines(30)}\`\`\`js\n${lines(40)}\`\`\`\nThe end.`;
    const ended = deliver();
    for (const piece of answer.match(/[\s\S]{1,60}/g) ?? []) {
      await feed(piece, 150);
      const others = buttons().slice(0, -1);
      expect(others).not.toContain(true);
    }
    expect(buttons()).toEqual([false, false, false, true]);
    await end();
    expect(await ended).toBeNull();
    expect(contents()).toEqual(splitAnswer(answer));
    expect(buttons()).toEqual([false, false, false, false]);
    expect(reply.messageIds()).toEqual([...channel.messages.keys()]);
    const posts = channel.requests.filter(({ kind }) => kind === 'post');
    expect(posts.map(({ posting }) => posting?.replyTo)).toEqual(['t1', null, null, null]);
  });

  it('ends a very long answer in one more message with the whole text as a file', async () => {
    const { deliver, feed, end, shown, contents, buttons } = replyWorkshop();
    const answer = lines(200);
    const ended = deliver();
    await feed(answer, 20 * INTERVAL);
    expect(contents()).toEqual(splitAnswer(answer).slice(0, 5));
    expect(buttons()).toEqual([false, false, false, false, true]);
    await end();
    expect(await ended).toBeNull();
    expect(contents()).toEqual([...splitAnswer(answer).slice(0, 5), en.reply.wholeInFile]);
    expect(shown().map(({ file }) => file)).toEqual([null, null, null, null, null, answer]);
    expect(buttons()).not.toContain(true);
  });

  it('calls for the end of typing just before the first message, once', async () => {
    const onFirstText = vi.fn(() => expect(channel.requests).toEqual([]));
    const { channel, deliver, feed, end } = replyWorkshop({ onFirstText });
    const ended = deliver();
    await feed(lines(60), INTERVAL);
    await end();
    expect(await ended).toBeNull();
    expect(onFirstText).toHaveBeenCalledTimes(1);
  });

  it('never shows half of a surrogate pair', async () => {
    const { channel, deliver, feed, end } = replyWorkshop();
    const ended = deliver();
    await feed('a\ud83d', 5 * INTERVAL);
    await feed('\ude00', 5 * INTERVAL);
    await end();
    expect(await ended).toBeNull();
    expect(channel.requests.map(({ view }) => view?.content)).toEqual(['a', 'a😀', 'a😀']);
  });
});
