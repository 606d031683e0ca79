import type { History, Summary } from '../conversation/history.js';
import { MESSAGE_OVERHEAD, type Message, renderLine } from '../conversation/message.js';
import { type Encoding, encodingFactor } from '../conversation/model.js';

/**
 * What a model can take, in tokens. `safety` is the share of the window that is kept free; `factor` (≥ 1) is by how
 * much the endpoint was seen to count more than we do.
 */
export type Window = {
  contextWindow: number;
  maxAnswerTokens: number;
  safety: number;
  factor: number;
  encoding: Encoding;
};

/** Tokens that are left for summary and messages, in the encoding in which they are counted. */
export type Budget = { room: number; encoding: Encoding };

/** Tokens that the summary's heading and fences add to its text, as an upper bound. */
export const SUMMARY_SECTION_TOKENS = 80;

/** Tokens that a whole prompt may count: the window without safety and answer, which gets half the window at most. */
export function promptLimit(window: Window): number {
  const answer = Math.min(window.maxAnswerTokens, window.contextWindow / 2);
  const usable = window.contextWindow - answer - window.contextWindow * window.safety;
  return Math.max(0, Math.floor(usable / Math.max(1, window.factor)));
}

/** What the prompt limit leaves beside persona and question; never negative. */
export function budgetFor(window: Window, fixed: { system: number; question: number }): Budget {
  return { room: Math.max(0, promptLimit(window) - fixed.system - fixed.question), encoding: window.encoding };
}

/** Tokens of a message in an encoding, never too few: a message without a count weighs its bytes. */
export function messageCost(message: Message, encoding: Encoding): number {
  if (message.tokens === null) return Buffer.byteLength(renderLine(message)) + MESSAGE_OVERHEAD;
  return Math.ceil(message.tokens * encodingFactor(message.encoding, encoding));
}

/** Tokens of a summary with its section in an encoding, never too few. */
export function summaryCost(summary: Summary, encoding: Encoding): number {
  return Math.ceil(summary.tokens * encodingFactor(summary.encoding, encoding)) + SUMMARY_SECTION_TOKENS;
}

/**
 * What a strategy decided. `messages` are sent, oldest first; `foldThrough` is the last `seq` that a fold should cover
 * (everything above the summary's watermark up to it), null when nothing is to be folded; `limitedBy` tells which limit
 * drew the line when something is stored that is not sent.
 */
export type MemoryPlan = {
  summary: Summary | null;
  messages: Message[];
  foldThrough: number | null;
  limitedBy: 'strategy' | 'budget' | null;
};

type Rows = readonly Pick<Message, 'role'>[];

/** Whether a turn begins at this row: a user message after an answer. The first row of a list is never sure to be one. */
export function startsTurn(rows: Rows, index: number): boolean {
  return rows[index]?.role === 'user' && rows[index - 1]?.role === 'assistant';
}

/** The index from which the newest `turns` answered turns stand; talk after the last answer comes free. */
export function newestTurns(rows: Rows, turns: number): number {
  if (turns === 0) return rows.length;
  let starts = rows.at(-1)?.role === 'assistant' ? 0 : -1;
  for (let index = rows.length - 1; index > 0; index -= 1) {
    if (startsTurn(rows, index)) starts += 1;
    if (starts === turns) return index;
  }
  return 0;
}

/** The first index from `from` on at which a user speaks: no answer is sent without a question before it. */
function withoutOrphans(rows: Rows, from: number): number {
  let index = from;
  while (rows[index]?.role === 'assistant') index += 1;
  return index;
}

/** What a strategy wants to send: a summary, and the messages from an index on. */
type Wanted = { summary: Summary | null; from: number; foldThrough: number | null };

/** The index from which the newest rows weigh at most `limit` together; it stops at the first that does not fit. */
export function newestWithin(rows: readonly Message[], limit: number, weigh: (row: Message) => number): number {
  let left = limit;
  let index = rows.length;
  while (index > 0) {
    const row = rows[index - 1];
    if (row === undefined) break;
    left -= weigh(row);
    if (left < 0) break;
    index -= 1;
  }
  return index;
}

/**
 * The law of budget, applied last under every strategy: drops the oldest messages until all fits, and a summary that
 * does not fit alone; then answers that were left without a question.
 */
export function trimToBudget(history: History, wanted: Wanted, budget: Budget): MemoryPlan {
  const rows = history.messages;
  const cost = wanted.summary === null ? 0 : summaryCost(wanted.summary, budget.encoding);
  const summary = cost <= budget.room ? wanted.summary : null;
  const room = summary === null ? budget.room : budget.room - cost;
  const affordable = newestWithin(rows, room, (row) => messageCost(row, budget.encoding));
  const from = withoutOrphans(rows, Math.max(wanted.from, affordable));
  const cutByBudget = affordable > wanted.from || summary !== wanted.summary;
  const cutByStrategy = from > 0 || !history.complete;
  return {
    summary,
    messages: rows.slice(from),
    foldThrough: wanted.foldThrough,
    limitedBy: cutByBudget ? 'budget' : cutByStrategy ? 'strategy' : null,
  };
}
