import type { Summary } from '../../src/conversation/history.js';
import { createReachCounter, type History, type Reach } from '../../src/conversation/history.js';
import type { Message } from '../../src/conversation/message.js';
import type { Strategy } from '../../src/conversation/settings.js';
import type { Budget } from '../../src/memory/budget.js';

/** Room for everything that a test does not limit on purpose. */
export const AMPLE: Budget = { tokensLeft: 10_000_000, encoding: 'o200k_base' };

/** A settled row; what is not given is plain. */
export function row(given: Partial<Message> & Pick<Message, 'seq' | 'role'>): Message {
  const answer = given.role === 'assistant';
  return {
    sessionId: 'terminal:test',
    platformId: `p${given.seq}`,
    authorId: answer ? 'bot' : 'ada',
    authorName: answer ? 'Keepsake' : 'Ada',
    text: `text ${given.seq}`,
    quote: null,
    createdAt: 1_000 * given.seq,
    state: 'answered',
    tokens: 10,
    encoding: 'o200k_base',
    ...given,
  };
}

/** Rows from a script such as `u:5 u a:30`: who speaks, and the tokens if not 10; `seq` counts from 1. */
export function rows(script: string): Message[] {
  const words = script.split(' ').filter((word) => word !== '');
  return words.map((word, index) => {
    const [role, tokens = '10'] = word.split(':');
    return row({ seq: index + 1, role: role === 'u' ? 'user' : 'assistant', tokens: Number(tokens) });
  });
}

/** `count` turns of one question and one answer, `tokens` each. */
export function turns(count: number, tokens = 10): Message[] {
  return rows(`u:${tokens} a:${tokens} `.repeat(count));
}

/** A clean summary that covers rows through a `seq`. */
export function summaryThrough(throughSeq: number, tokens = 20): Summary {
  return {
    id: throughSeq,
    sessionId: 'terminal:test',
    text: 'Ada greets.',
    tokens,
    encoding: 'o200k_base',
    fromSeq: 1,
    throughSeq,
    fromAt: 1_000,
    throughAt: 1_000 * throughSeq,
    model: 'offline',
    dirty: false,
    createdAt: 0,
  };
}

/** What a session holds; `rows` are all that are stored, covered ones too. */
export type Stored = { rows: Message[]; summary: Summary | null; dirtyThrough?: number | null };

/** Loads as every store does: from the newest row back until the reach has been passed. */
export function load(stored: Stored, reach: Reach): History {
  const summary = reach.summary ? stored.summary : null;
  const readable = stored.rows.filter((each) => each.seq > (summary?.throughSeq ?? 0));
  const passed = createReachCounter(reach);
  let from = readable.length;
  while (from > 0) {
    from -= 1;
    if (passed(readable[from]!)) break;
  }
  const dirtyThrough = reach.summary ? (stored.dirtyThrough ?? null) : null;
  const head = { sessionId: 'terminal:test', epoch: 0, revision: 0 };
  return { ...head, summary, messages: readable.slice(from), complete: from === 0, dirtyThrough };
}

/** Everything that a strategy may read. */
export function loadAll(stored: Stored, strategy: Strategy): History {
  return load(stored, { summary: strategy.name === 'summary' || strategy.name === 'summary-buffer' });
}

/** A history without a summary. */
export function historyOf(messages: Message[], more: Partial<History> = {}): History {
  return { ...load({ rows: messages, summary: null }, { summary: true }), ...more };
}

/** The `seq`s of rows. */
export function seqs(messages: readonly Message[]): number[] {
  return messages.map((message) => message.seq);
}
