import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY, type StrategyName } from '../../src/conversation/settings.js';
import { maxReach, planMemory, reachFor } from '../../src/memory/plan.js';
import { describeStrategy, parseStrategy } from '../../src/memory/strategy-options.js';
import { AMPLE, load, seqs, summaryThrough, turns } from './histories.js';

type Case = {
  name: StrategyName;
  options: Record<string, number | string>;
  command: string;
  summary: boolean;
  sent: number[];
  foldThrough: number | null;
};

/** Six turns of 2 × 100 tokens (`seq` 1 to 12), of which a summary covers the first two. */
const stored = { rows: turns(6, 100), summary: summaryThrough(4) };

/** One row a strategy: its canonical command, and what it makes of the session above. */
const table: Case[] = [
  {
    name: 'buffer',
    options: {},
    command: 'buffer max_tokens:16000',
    summary: false,
    sent: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    foldThrough: null,
  },
  {
    name: 'window',
    options: { k: 5 },
    command: 'window k:5 unit:messages',
    summary: false,
    sent: [9, 10, 11, 12],
    foldThrough: null,
  },
  {
    name: 'token-buffer',
    options: { max_tokens: 550 },
    command: 'token-buffer max_tokens:550',
    summary: false,
    sent: [9, 10, 11, 12],
    foldThrough: null,
  },
  {
    name: 'summary',
    options: {},
    command: 'summary max_summary_tokens:400',
    summary: true,
    sent: [5, 6, 7, 8, 9, 10, 11, 12],
    foldThrough: 12,
  },
  {
    name: 'summary-buffer',
    options: { max_tokens: 700 },
    command: 'summary-buffer max_tokens:700 keep_tokens:350 max_summary_tokens:400',
    summary: true,
    sent: [5, 6, 7, 8, 9, 10, 11, 12],
    foldThrough: 10,
  },
];

describe('each strategy', () => {
  it.each(table)('$name: $command', ({ name, options, command, summary, sent, foldThrough }) => {
    const strategy = parseStrategy(name, options);
    const plan = planMemory(load(stored, reachFor(strategy, AMPLE)), strategy, AMPLE);
    expect(describeStrategy(strategy)).toBe(command);
    expect(seqs(plan.messages)).toEqual(sent);
    expect(plan.summary).toBe(summary ? stored.summary : null);
    expect(plan.foldThrough).toBe(foldThrough);
  });

  it('is held by the table', () => {
    const named: Record<StrategyName, true> = {
      buffer: true,
      window: true,
      'token-buffer': true,
      summary: true,
      'summary-buffer': true,
    };
    expect(new Set(table.map(({ name }) => name))).toEqual(new Set(Object.keys(named)));
  });
});

describe('the default', () => {
  it('is what `summary-buffer` gives without options', () => {
    expect(parseStrategy('summary-buffer', {})).toEqual(DEFAULT_STRATEGY);
  });
});

describe('switching strategies', () => {
  it('brings back rows that a summary covers, so that switching forth and back loses nothing', () => {
    const buffer = parseStrategy('buffer', {});
    const folding = parseStrategy('summary-buffer', {});
    const sent = (strategy: typeof buffer) => planMemory(load(stored, reachFor(strategy, AMPLE)), strategy, AMPLE);
    const before = sent(folding);
    expect(sent(buffer).messages).toHaveLength(12);
    expect(sent(folding)).toEqual(before);
  });
});

describe('what retention may sweep', () => {
  it.each([
    ['buffer', { max_tokens: 500 }, { summary: false, tokens: 500 }],
    ['token-buffer', { max_tokens: 500 }, { summary: false, tokens: 500 }],
    ['window', { k: 8 }, { summary: false, messages: 8 }],
    ['window', { k: 8, unit: 'turns' }, { summary: false, turns: 8, messages: 10_000 }],
    ['window', { k: 0, unit: 'turns' }, { summary: false, messages: 0 }],
    ['summary', {}, { summary: true }],
    ['summary-buffer', { max_messages: 2 }, { summary: true }],
  ] as const)('%s %o reaches %o whatever the budget is', (name, options, reach) => {
    expect(maxReach(parseStrategy(name, options))).toEqual(reach);
  });
});
