import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptedModel } from '../support/scripted-model.js';
import { type Bench, putOnBench } from './bench.js';

/** A bench whose model forgets Ben, who has said something, while it writes its first `times` answers to Ada. */
async function forgetting(times: number): Promise<Bench> {
  const model = scriptedModel(async (_, __, n) => {
    if (n > 1 && n <= 1 + times) {
      await bench.bot.forget(bench.session, { what: 'me', authorId: 'ben', authorName: 'Ben' });
    }
    return `answer ${n}`;
  });
  const bench = await putOnBench({ model });
  onTestFinished(() => bench.close());
  await bench.say('the word of Ben', { authorId: 'ben', authorName: 'Ben' });
  return bench;
}

describe('a turn in which somebody else is forgotten', () => {
  it('is run again, without what was forgotten', async () => {
    const bench = await forgetting(1);
    const { text, outcome } = await bench.say('and mine?');
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(text).toBe('answer 2answer 3');
    expect(bench.model.asked[2]?.prompt.messages).toEqual([{ role: 'user', content: 'Ada: and mine?' }]);
    const { messages } = await bench.parts.store.loadHistory(bench.session.id, { summary: false });
    expect(messages.map(({ text: kept, state }) => [kept, state])).toEqual([
      ['and mine?', 'answered'],
      ['answer 3', 'answered'],
    ]);
  });

  it('is run again once, not for ever', async () => {
    const bench = await forgetting(9);
    expect((await bench.say('and mine?')).outcome).toEqual({ kind: 'forgotten' });
    expect(bench.model.asked).toHaveLength(3);
    expect(await bench.parts.store.pendingSessions()).toEqual([]);
  });

  it('answers what is left of it', async () => {
    const bench = await forgetting(1);
    const message = { session: bench.session, quote: null, createdAt: bench.time.now, addressed: true };
    await bench.bot.receive({
      ...message,
      platformId: 'x',
      authorId: 'ada',
      authorName: 'Ada',
      text: 'a question of Ada',
    });
    const { outcome } = await bench.say('a question of Ben', { authorId: 'ben', authorName: 'Ben' });
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(bench.model.asked[2]?.prompt.messages).toEqual([{ role: 'user', content: 'Ada: a question of Ada' }]);
  });
});
