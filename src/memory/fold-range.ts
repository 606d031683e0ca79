import type { History } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { Encoding } from '../conversation/model.js';
import type { Strategy } from '../conversation/settings.js';
import { messageCost, startOfNewestWithin, startsTurn } from './budget.js';

/** A fold's hysteresis: above `trigger` the live rows are folded until at most `keep` is left. */
export type FoldLimit = { trigger: number; keep: number; weigh: (row: Message) => number };

/** The last `seq` of a fold of everything, the newest turn too; null when nothing is live. */
export function foldAllThrough(history: History): number | null {
  return history.messages.at(-1)?.seq ?? null;
}

/**
 * The last `seq` of a fold that applies each limit in turn, in whole turns and without the newest; null when nothing is to
 * be folded. What a dirty summary covered is folded again whatever the limits say.
 */
export function foldDownThrough(history: History, limits: readonly FoldLimit[]): number | null {
  const { messages } = history;
  const newest = messages.at(-1);
  if (newest === undefined) return null;
  let through = 0;
  for (const limit of limits) {
    const folded = through;
    const live = folded === 0 ? messages : messages.filter((row) => row.seq > folded);
    through = overflowThrough(live, history.complete || folded > 0, limit) ?? folded;
  }
  through = Math.max(through, rebuildThrough(history, newest));
  return through === 0 ? null : through;
}

/** The last `seq` of a fold on demand, however little is live; null when nothing is live, or the strategy never folds. */
export function forcedFoldThrough(history: History, strategy: Strategy): number | null {
  if (strategy.name === 'summary') return foldAllThrough(history);
  if (strategy.name !== 'summary-buffer') return null;
  const { unit, keep } = strategy.limit;
  const weigh = (row: Message) => (unit === 'messages' ? 1 : messageCost(row, storedEncoding(row)));
  return foldDownThrough(history, [{ trigger: keep, keep, weigh }]);
}

function storedEncoding(row: Message): Encoding {
  return row.encoding === 'cl100k_base' ? 'cl100k_base' : 'o200k_base';
}

/**
 * Takes the rows of one summarizer call: the longest prefix within `maxTokens`, at least one row, ending with a turn where
 * it can.
 */
export function takeFoldBatch(rows: readonly Message[], maxTokens: number, encoding: Encoding): Message[] {
  let left = maxTokens;
  let end = 0;
  for (const row of rows) {
    left -= messageCost(row, encoding);
    if (left < 0 && end > 0) break;
    end += 1;
  }
  if (end === rows.length) return [...rows];
  for (let cut = end; cut > 0; cut -= 1) {
    if (startsTurn(rows, cut)) return rows.slice(0, cut);
  }
  return rows.slice(0, end);
}

/** The last `seq` from which a dirty summary can be rebuilt; 0 without one, or when none of its rows is left. */
function rebuildThrough({ messages, dirtyThrough, complete }: History, newest: Message): number {
  const oldest = messages[0]?.seq ?? newest.seq;
  if (dirtyThrough === null || (complete && oldest > dirtyThrough)) return 0;
  return Math.min(dirtyThrough, newest.seq);
}

function overflowThrough(rows: readonly Message[], complete: boolean, limit: FoldLimit): number | null {
  let weight = 0;
  let unansweredWeight = 0;
  let start: number | null = null;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined) break;
    weight += limit.weigh(row);
    if (start === null && row.role === 'user') unansweredWeight = weight;
    if (startsTurn(rows, index) && (start === null || weight <= limit.keep)) start = index;
  }
  if (weight <= limit.trigger) return null;
  if (rows.at(-1)?.role === 'user' && unansweredWeight > limit.trigger) start = cutUnansweredTalk(rows, limit);
  if (start === null) return complete ? null : seqBeforeFirst(rows);
  return rows[start - 1]?.seq ?? null;
}

/** Talk that nobody has answered yet has no end of a turn to wait for; its newest row stays live. */
function cutUnansweredTalk(rows: readonly Message[], { keep, weigh }: FoldLimit): number {
  return Math.min(rows.length - 1, startOfNewestWithin(rows, keep, weigh));
}

/** When all that was loaded is one turn, what lies before it is folded; its first loaded question stays live. */
function seqBeforeFirst([first]: readonly Message[]): number | null {
  return first?.role === 'user' ? first.seq - 1 : null;
}
