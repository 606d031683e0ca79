import { describe, expect, it } from 'vitest';
import type { Delivery, Store } from '../../src/conversation/store.js';
import { anAnswer, anId, aQuestion, aSession, aSummary, converse, mustAppend } from '../support/conversation.js';
import { BOTH_STORES } from './both-stores.js';
import { pendingTurn, SESSION } from './contract/fixture.js';

const ALL = { coveredUntil: 0, unreachedBelow: 1_000_000 };
const NOTHING = { coveredUntil: 0, unreachedBelow: null };
const OTHER = aSession({ id: 'discord:200' });

/** Lets two messages show the answer to a question. */
async function show(store: Store, answerTo: string, sessionId = SESSION.id): Promise<Delivery[]> {
  for (const chunk of [0, 1]) {
    const messageId = chunk === 0 ? `shown ${answerTo}` : null;
    await store.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId });
  }
  return store.deliveriesOf(sessionId, answerTo);
}

/** A turn that was answered, and what shows its answer. */
async function shownTurn(store: Store) {
  const turn = await converse(store);
  const id = turn.question.platformId;
  return { ...turn, id, shown: await show(store, id) };
}

describe.each(BOTH_STORES)('%s: what shows an answer', (_, aStore) => {
  it('is found as long as the answer is stored, and goes with it', async () => {
    const store = await aStore();
    const { id, question, answer, shown } = await shownTurn(store);
    expect(await store.sweep(SESSION.id, { ...NOTHING, unreachedBelow: answer.seq }, 10)).toBe(1);
    expect(await store.deliveriesOf(SESSION.id, id)).toEqual(shown);
    expect(await store.answeredBy(SESSION.id, `shown ${id}`)).toBe(id);
    expect(await store.sweep(SESSION.id, ALL, 10)).toBe(1 + shown.length);
    expect(await store.deliveriesOf(SESSION.id, id)).toEqual([]);
    expect(await store.answeredBy(SESSION.id, `shown ${id}`)).toBeNull();
    expect(question.seq).toBeLessThan(answer.seq);
  });

  it.each<[string, (store: Store, turn: Awaited<ReturnType<typeof shownTurn>>) => Promise<unknown>]>([
    [
      'a fold has dropped both at once',
      (store, { answer }) =>
        store.saveSummary(aSummary(answer.seq), { epoch: 0, revision: 0, previousId: null, dropCovered: true }),
    ],
    ['the question was erased', (store, { id }) => store.erase(SESSION.id, [id], 1)],
    ['the session was forgotten', (store) => store.forgetSession(SESSION.id)],
    ['the asker was forgotten', (store) => store.forgetAuthor(SESSION.id, 'ada')],
    ['the newest turn was forgotten', (store) => store.forgetLast(SESSION.id, null)],
  ])('goes by the next sweep when %s', async (__, end) => {
    const store = await aStore();
    const turn = await shownTurn(store);
    await end(store, turn);
    expect(await store.sweep(SESSION.id, NOTHING, 10)).toBe(turn.shown.length);
    expect(await store.deliveriesOf(SESSION.id, turn.id)).toEqual([]);
    expect(await store.sweep(SESSION.id, NOTHING, 10)).toBe(0);
  });

  it('goes with its question when there is no answer: it was erased, or it failed', async () => {
    const store = await aStore();
    const { id } = await shownTurn(store);
    await store.eraseAnswer(SESSION.id, id);
    const failing = await mustAppend(store, aQuestion());
    await show(store, failing.platformId);
    await store.failTurn(await pendingTurn(store));
    expect(await store.sweep(SESSION.id, NOTHING, 10)).toBe(0);
    expect(await store.sweep(SESSION.id, ALL, 10)).toBe(2 + 4);
    for (const each of [id, failing.platformId]) expect(await store.deliveriesOf(SESSION.id, each)).toEqual([]);
  });

  it('stays while something waits in the session, which may be an answer without a row', async () => {
    const store = await aStore();
    const gone = anId();
    const shown = await show(store, gone);
    await mustAppend(store, aQuestion());
    expect(await store.sweep(SESSION.id, ALL, 10)).toBe(0);
    expect(await store.deliveriesOf(SESSION.id, gone)).toEqual(shown);
    const turn = await pendingTurn(store);
    await store.storeAnswer(turn, anAnswer());
    expect(await store.sweep(SESSION.id, ALL, 10)).toBe(0);
    await store.settleTurn(turn);
    expect(await store.sweep(SESSION.id, NOTHING, 10)).toBe(shown.length);
  });

  it('goes in slices, and in its own session alone', async () => {
    const store = await aStore();
    await store.openSession(OTHER);
    const ids = Array.from({ length: 5 }, anId);
    for (const id of ids) await show(store, id);
    const elsewhere = await show(store, ids[0] ?? '', OTHER.id);
    const swept = [];
    for (let i = 0; i < 4; i += 1) swept.push(await store.sweep(SESSION.id, NOTHING, 2));
    expect(swept).toEqual([4, 4, 2, 0]);
    expect(await store.deliveriesOf(OTHER.id, ids[0] ?? '')).toEqual(elsewhere);
  });
});
