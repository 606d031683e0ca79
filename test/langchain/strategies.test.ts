import { describe, expect, it } from 'vitest';
import { withSessionMemory } from '../../src/langchain/index.js';
import { call, echo, lines, openMemory, talk } from './memory.js';

/** The first word pair of each recalled message, without the question that was asked now. */
function recalled(received: readonly string[]): string[] {
  return received.slice(0, -1).map((line) => line.replaceAll('.', '').trim());
}

async function withTalk(turns: number) {
  const opened = await openMemory();
  await opened.memory.history('ada').addMessages(talk(turns));
  const { received, runnable } = echo();
  const chain = withSessionMemory(runnable, opened.memory);
  return { ...opened, received, chain };
}

describe('each call chooses its memory', () => {
  it('buffer recalls everything', async () => {
    const { received, chain } = await withTalk(3);
    await chain.invoke('now?', call('ada', { strategy: 'buffer' }));
    expect(received).toEqual([[...lines(talk(3)), 'human: now?']]);
  });

  it('window recalls the newest k messages, and no answer without its question', async () => {
    const { received, chain } = await withTalk(3);
    await chain.invoke('now?', call('ada', { strategy: 'window', k: 3 }));
    expect(recalled(received[0]!)).toEqual(['human: question 3', 'ai: answer 3']);
  });

  it('window with turns as its unit recalls k turns, as LangChain counts', async () => {
    const { received, chain } = await withTalk(3);
    await chain.invoke('now?', call('ada', { strategy: { name: 'window', k: 2, unit: 'turns' } }));
    expect(recalled(received[0]!)).toEqual(['human: question 2', 'ai: answer 2', 'human: question 3', 'ai: answer 3']);
  });

  it('k alone means a window, and k of 0 means the question alone', async () => {
    const { received, chain } = await withTalk(3);
    await chain.invoke('now?', call('ada', { k: 2 }));
    await chain.invoke('and now?', call('ada', { k: 0 }));
    expect(received.map(recalled)).toEqual([['human: question 3', 'ai: answer 3'], []]);
  });

  it('token-buffer recalls the newest messages that fit', async () => {
    const { received, chain } = await withTalk(5);
    await chain.invoke('now?', call('ada', { strategy: { name: 'token-buffer', maxTokens: 100 } }));
    expect(recalled(received[0]!)).toEqual(['human: question 4', 'ai: answer 4', 'human: question 5', 'ai: answer 5']);
  });

  it('summary folds everything after each answer and gives it as the first system message', async () => {
    const { received, chain, memory } = await withTalk(2);
    await chain.invoke('now?', call('ada', { strategy: 'summary' }));
    await memory.settled(10_000);
    await chain.invoke('and now?', call('ada', { strategy: 'summary' }));
    expect(received[0]).toHaveLength(5);
    expect(received[1]).toEqual([
      expect.stringMatching(/^system: What follows .* data .*summary 1/su),
      'human: and now?',
    ]);
  });

  it('summary-buffer recalls the summary and the live messages, and folds down to keep past max', async () => {
    const { received, chain, memory, summarizer } = await withTalk(2);
    const strategy = { name: 'summary-buffer', maxSummaryTokens: 100, limit: { unit: 'messages', max: 4, keep: 2 } };
    await chain.invoke('now?', call('ada', { strategy }));
    await memory.settled(10_000);
    await chain.invoke('and now?', call('ada', { strategy }));
    await memory.settled(10_000);
    expect(received[1]).toEqual([
      expect.stringContaining('summary 1'),
      'human: now?',
      'ai: a: now?',
      'human: and now?',
    ]);
    expect(summarizer.asked).toHaveLength(1);
  });

  it('switching between strategies loses nothing', async () => {
    const { received, chain, memory } = await withTalk(2);
    for (const strategy of ['summary', 'buffer', 'summary']) {
      await chain.invoke(strategy, call('ada', { strategy }));
      await memory.settled(10_000);
    }
    expect(recalled(received[1]!)).toHaveLength(6);
    expect(received[2]!.map((line) => line.split(':')[0])).toEqual(['system', 'human', 'ai', 'human']);
    expect(received[2]!.slice(1, 3)).toEqual(['human: buffer', 'ai: a: buffer']);
  });

  it('a call without a choice uses the session’s settings, and a choice is never stored', async () => {
    const { received, chain, store } = await withTalk(3);
    await store.saveSetting('ada', 'strategy', { name: 'window', k: 2, unit: 'messages' }, 1);
    await chain.invoke('now?', call('ada'));
    await chain.invoke('and now?', call('ada', { strategy: 'buffer' }));
    expect(recalled(received[0]!)).toEqual(['human: question 3', 'ai: answer 3']);
    expect(recalled(received[1]!)).toHaveLength(8);
    expect((await store.loadSettings(['ada'])).map(({ value }) => value)).toEqual([
      { name: 'window', k: 2, unit: 'messages' },
    ]);
  });

  it('names speakers in the text, never in the name field', async () => {
    const { memory } = await openMemory();
    const [question, answer] = talk(1);
    question!.name = 'Ada';
    await memory.history('ada').addMessages([question!, answer!]);
    const view = await memory.open({ sessionId: 'ada', strategy: null, model: null }, '').getMessages();
    expect(view.map(({ text, name }) => [text.slice(0, 15), name])).toEqual([
      ['Ada: question 1', undefined],
      ['answer 1 ......', undefined],
    ]);
  });
});

describe('the token budget', () => {
  const figuresOf = (model: string) =>
    ({ contextWindow: model === 'small' ? 900 : 128_000, encoding: 'o200k_base', safety: 0.05 }) as const;

  async function receivedBy(model: string, question: string) {
    const { memory } = await openMemory({ figuresOf, promptTokens: 50, maxAnswerTokens: 100 });
    await memory.history('ada').addMessages(talk(50));
    const { received, runnable } = echo();
    await withSessionMemory(runnable, memory).invoke(question, call('ada', { strategy: 'buffer', model }));
    return received[0]!.length;
  }

  it("cuts every strategy to the window of the call's model", async () => {
    const [small, large] = [await receivedBy('small', 'now?'), await receivedBy('large', 'now?')];
    expect(large).toBe(101);
    expect(small).toBeGreaterThan(2);
    expect(small * 25).toBeLessThan(900 - 100 - 45 - 50);
  });

  it("keeps room for the call's own input, even when it alone is too large", async () => {
    expect(await receivedBy('small', 'x'.repeat(600))).toBeLessThan((await receivedBy('small', 'now?')) - 10);
    expect(await receivedBy('small', 'x'.repeat(9_000))).toBe(1);
  });
});
