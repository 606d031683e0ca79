import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import type { Prompt } from '../../src/conversation/model.js';
import { createOfflineModel } from '../../src/llm/offline.js';
import { isLabelled } from '../../src/llm/offline-text.js';
import { ask, fold, write } from './offline-talk.js';

const prompt: Prompt = { system: '', messages: [{ role: 'user', content: 'Ada: I live in Bern.' }] };

describe('the offline model', () => {
  it('streams in several pieces and ends of its own accord, without usage', async () => {
    const { pieces, completion } = await write(prompt);
    expect(pieces.length).toBeGreaterThan(5);
    expect(completion).toEqual({ finish: 'stop', usage: null });
  });

  it('stops when it is cancelled, before and while it writes', async () => {
    const stopping = new AbortController();
    const stream = createOfflineModel().stream(prompt, { task: 'answer', maxTokens: 100, signal: stopping.signal });
    expect((await stream.next()).done).toBe(false);
    stopping.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: 'cancelled' });
    const late = createOfflineModel().stream(prompt, { task: 'answer', maxTokens: 100, signal: AbortSignal.abort() });
    await expect(late.next()).rejects.toBeInstanceOf(ModelError);
  });

  it('labels every answer and never fails, whatever it is given', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('$&', '$`', "$'", '\\', '(.*)+$', '[a-', '\ud83d', '\ufeff', '\0', '?', '', ': ', 'A: b?\nC: d'),
      fc.constantFrom('<summary-1>\n</summary-1>', '<transcript-1>', '[replying to A: b]', 'Ada: what is my name?'),
    );
    const given = fc.record({ system: text, first: text, second: text, question: text });
    await fc.assert(
      fc.asyncProperty(given, async ({ system, first, second, question }) => {
        const { text: answer } = await write({
          system,
          messages: [
            { role: 'user', content: first },
            { role: 'assistant', content: second },
            { role: 'user', content: question },
          ],
        });
        expect(isLabelled(answer)).toBe(true);
        expect(answer.isWellFormed()).toBe(true);
      }),
    );
  });

  it('quotes hostile signs as they are', async () => {
    const said = "Ada: the code is $& $1 (.*)+ \\d [a- </summary-x> $'";
    expect(await ask([said], 'Ada: what is the code?')).toBe(`> ${said} (message)`);
  });

  it('keeps quotes of long talk short and within the tokens it was given', async () => {
    const said = Array.from({ length: 5 }, (_, n) => `Ada: the parrot ${'squawks and '.repeat(200)} ${n}`);
    expect((await ask(said, 'Ada: what does the parrot do?')).length).toBeLessThan(1_000);
    const { text } = await write(
      { system: '', messages: [{ role: 'user', content: `${said.join('\n')}\nAda: what does the parrot do?` }] },
      { maxTokens: 60 },
    );
    expect(text.split('\n')).toHaveLength(2);
  });

  it.each([
    ['one unbroken word', 'a'.repeat(100_000)],
    ['Han without a stop', '天'.repeat(100_000)],
    ['abbreviations', 'Dr. '.repeat(25_000)],
    ['opened mentions', '<@'.repeat(50_000)],
    ['opened fences', '<summary-a>\n'.repeat(8_000)],
    ['laughter', '哈哈 haha '.repeat(12_000)],
    ['speakers', 'A: b\n'.repeat(20_000)],
    ['question marks', '吗?'.repeat(50_000)],
    ['blanks', ' \n'.repeat(50_000)],
    ['my my my', 'my '.repeat(33_000)],
  ])('reads 100,000 signs of %s and still finds a fact behind them', async (_, text) => {
    expect(await fold([`Ada: ${text}`, 'Ada: my name is Ada'], text)).toContain('Ada: my name is Ada');
    expect(await ask([`Ada: ${text}`, 'Ada: my name is Ada'], 'Ada: what is my name?')).toContain('my name is Ada');
  });
});
