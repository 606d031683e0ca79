import fc from 'fast-check';
import type { Message } from '../../src/conversation/message.js';
import type { Encoding } from '../../src/conversation/model.js';
import type { Strategy } from '../../src/conversation/settings.js';
import type { Budget } from '../../src/memory/budget.js';
import { row, type Stored, summaryThrough } from './histories.js';

const encodings = fc.constantFrom<Encoding>('o200k_base', 'cl100k_base');

const tokenCounts = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 5, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 5_000 }) },
  { weight: 1, arbitrary: fc.constant(null) },
);

const speakers = fc.constantFrom('Ada', 'Bob', '陳大文', 'Zoë', '');

const lines = fc.record({
  role: fc.constantFrom<'user' | 'assistant'>('user', 'assistant'),
  tokens: tokenCounts,
  encoding: fc.oneof({ weight: 8, arbitrary: encodings }, { weight: 1, arbitrary: fc.constant(null) }),
  authorName: speakers,
  text: fc.string({ unit: 'grapheme', maxLength: 12 }),
  gap: fc.integer({ min: 1, max: 4 }),
});

/** Rows as they come: several speakers, talk nobody answered, failed turns, answers in a row, gaps between `seq`s. */
export const anyRows: fc.Arbitrary<Message[]> = fc
  .oneof(
    fc.array(lines, { maxLength: 40 }),
    fc.array(lines, { maxLength: 40 }).map((list) => list.map((line, i) => ({ ...line, role: roleAt(i) }))),
  )
  .map((list) => {
    let seq = 0;
    return list.map(({ gap, ...line }) => {
      seq += gap;
      return row({ seq, ...line });
    });
  });

function roleAt(index: number): 'user' | 'assistant' {
  return index % 2 === 0 ? 'user' : 'assistant';
}

/** A stored session, with or without a summary that covers a part of it, perhaps with a dirty one above. */
export const anyStored: fc.Arbitrary<Stored> = fc
  .record({
    rows: anyRows,
    covered: fc.option(fc.nat({ max: 45 })),
    tokens: fc.integer({ min: 1, max: 400 }),
    dirty: fc.option(fc.nat({ max: 160 }), { freq: 4 }),
  })
  .map(({ rows: all, covered, tokens, dirty }) => {
    const last = covered === null ? undefined : all[covered];
    const summary = last === undefined ? null : summaryThrough(last.seq, tokens);
    const dirtyThrough = dirty !== null && dirty > (summary?.throughSeq ?? 0) ? dirty : null;
    return { rows: all, summary, dirtyThrough };
  });

/** Budgets from nothing to plenty. */
export const anyBudget: fc.Arbitrary<Budget> = fc.record({
  tokensLeft: fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 20_000 })),
  encoding: encodings,
});

const summaryTokens = fc.integer({ min: 50, max: 2_000 });

function limitOf(unit: 'tokens' | 'messages', min: number, most: number) {
  return fc
    .tuple(fc.integer({ min, max: most }), fc.double({ min: 0, max: 0.999, noNaN: true }))
    .map(([max, share]) => ({ unit, max, keep: Math.floor(max * share) }));
}

/** Summary-buffer settings, near the lower end of the ranges, where most can go wrong. */
export const anySummaryBuffer: fc.Arbitrary<Extract<Strategy, { name: 'summary-buffer' }>> = fc.record({
  name: fc.constant('summary-buffer'),
  limit: fc.oneof(limitOf('tokens', 100, 600), limitOf('messages', 2, 20)),
  maxSummaryTokens: summaryTokens,
});

/** Every strategy, near the lower end of its ranges. */
export const anyStrategy: fc.Arbitrary<Strategy> = fc.oneof(
  fc.record({ name: fc.constant('buffer' as const), maxTokens: fc.integer({ min: 100, max: 800 }) }),
  fc.record({ name: fc.constant('token-buffer' as const), maxTokens: fc.integer({ min: 100, max: 800 }) }),
  fc.record({
    name: fc.constant('window' as const),
    k: fc.integer({ min: 0, max: 12 }),
    unit: fc.constantFrom('messages', 'turns'),
  }),
  fc.record({ name: fc.constant('summary' as const), maxSummaryTokens: summaryTokens }),
  anySummaryBuffer,
);
