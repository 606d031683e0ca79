import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Reach } from '../../src/conversation/history.js';
import type { Store } from '../../src/conversation/store.js';
import { converse, summarize } from '../support/conversation.js';
import { createModelStore } from '../support/model-store.js';
import { SESSION } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

const TURNS = 900;
const text = 'some words that take some room in the file, '.repeat(4);

/** Talks for `turns` turns, letting go of rows after each tenth; returns the most rows and summaries ever kept. */
async function talk(store: Store, turns: number, letGo: () => Promise<unknown>) {
  const most = { messages: 0, summaries: 0 };
  for (let turn = 1; turn <= turns; turn += 1) {
    await converse(store, { text, createdAt: turn }, { text, createdAt: turn });
    if (turn % 10 !== 0) continue;
    await letGo();
    const { messages, summaries } = await store.sessionFacts(SESSION.id);
    most.messages = Math.max(most.messages, messages);
    most.summaries = Math.max(most.summaries, summaries.length);
  }
  return most;
}

/** Folds all but the newest four messages, and lets go of what was folded at once. */
async function fold(store: Store): Promise<void> {
  const { messages } = await store.loadHistory(SESSION.id, { summary: true });
  expect(await summarize(store, messages.at(-5)?.seq ?? 0, { text, dropCovered: true })).toBe(true);
}

/** Lets go of what a reach does not see now. */
async function sweepUnreached(store: Store, reach: Reach): Promise<void> {
  const unreachedBelow = await store.reachedFrom(SESSION.id, reach, Number.MAX_SAFE_INTEGER);
  await store.sweep(SESSION.id, { coveredUntil: 0, unreachedBelow }, 1_000);
}

describe('with a retention of 0 days', () => {
  it('rows, summaries and the file stay below a constant while the talk goes on', async () => {
    const path = await aDatabase();
    const store = await aStore(path, { synchronous: 'NORMAL' });
    const early = await talk(store, TURNS / 3, () => fold(store));
    const size = statSync(path).size;
    const late = await talk(store, TURNS, () => fold(store));
    expect(late).toEqual(early);
    expect(late.messages).toBeLessThanOrEqual(4);
    expect(late.summaries).toBe(1);
    expect(statSync(path).size).toBeLessThanOrEqual(size * 1.1);
  });

  it.each([
    ['a window', { summary: false, messages: 20 }, 21],
    ['turns', { summary: false, turns: 5 }, 11],
    ['tokens', { summary: false, tokens: 70 }, 13],
  ] as const)('rows stay below a constant under %s', async (_, reach, most) => {
    const store = createModelStore();
    expect(await talk(store, TURNS, () => sweepUnreached(store, reach))).toEqual({ messages: most, summaries: 0 });
  });
});
