import type { History, Summary } from '../conversation/history.js';
import { MESSAGE_OVERHEAD, type Message, renderLine } from '../conversation/message.js';
import { type Encoding, encodingFactor } from '../conversation/model.js';

/**
 * The token limits of a model. `safety` is the share of the context window that is kept free; `factor` (≥ 1) is the
 * observed ratio of the endpoint's own count to ours.
 */
export type ModelLimits = {
  contextWindow: number;
  maxAnswerTokens: number;
  safety: number;
  factor: number;
  encoding: Encoding;
};

/** Tokens that are left for summary and messages, in the encoding in which they are counted. */
export type Budget = { tokensLeft: number; encoding: Encoding };

/** Tokens that the summary's heading and fences add to its text, as an upper bound. */
export const SUMMARY_SECTION_TOKENS = 80;

/** Computes the most tokens of a whole prompt: the window less safety and answer, which gets half the window at most. */
export function promptLimit(limits: ModelLimits): number {
  const answer = Math.min(limits.maxAnswerTokens, limits.contextWindow / 2);
  const usable = limits.contextWindow - answer - limits.contextWindow * limits.safety;
  return Math.max(0, Math.floor(usable / Math.max(1, limits.factor)));
}

/** Computes the most tokens of an answer, which gets half the window at most. */
export function answerLimit({ maxAnswerTokens, contextWindow }: ModelLimits): number {
  return Math.min(maxAnswerTokens, Math.floor(contextWindow / 2));
}

/** Computes what the prompt limit leaves beside persona and question; never negative. */
export function budgetFor(limits: ModelLimits, fixed: { system: number; question: number }): Budget {
  return { tokensLeft: Math.max(0, promptLimit(limits) - fixed.system - fixed.question), encoding: limits.encoding };
}

/** Bounds a message's tokens in an encoding from above; a message without a count costs its bytes. */
export function messageCost(message: Message, encoding: Encoding): number {
  if (message.tokens === null) return Buffer.byteLength(renderLine(message)) + MESSAGE_OVERHEAD;
  return Math.ceil(message.tokens * encodingFactor(message.encoding, encoding));
}

/** Sums up the costs of messages. */
export function messagesCost(messages: readonly Message[], encoding: Encoding): number {
  return messages.reduce((sum, message) => sum + messageCost(message, encoding), 0);
}

/** Bounds the tokens of a summary with its section in an encoding from above. */
export function summaryCost(summary: Summary, encoding: Encoding): number {
  return Math.ceil(summary.tokens * encodingFactor(summary.encoding, encoding)) + SUMMARY_SECTION_TOKENS;
}

/**
 * A strategy's decision. `messages` are sent, oldest first; `foldThrough` is the last `seq` that a fold should cover
 * (everything above the summary's watermark up to it), null when nothing is to be folded; `limitedBy` tells which limit
 * left stored messages out.
 */
export type MemoryPlan = {
  summary: Summary | null;
  messages: Message[];
  foldThrough: number | null;
  limitedBy: 'strategy' | 'budget' | null;
};

/** A strategy's selection before the budget applies: a summary, and the messages from an index on. */
type Selection = { summary: Summary | null; from: number; foldThrough: number | null };

/**
 * Applies the token budget, as the last step of every strategy: drops a summary that does not fit alone, then the oldest
 * messages until all fits, then answers that were left without a question.
 */
export function trimToBudget(history: History, selection: Selection, budget: Budget): MemoryPlan {
  const rows = history.messages;
  const cost = selection.summary === null ? 0 : summaryCost(selection.summary, budget.encoding);
  const summary = cost <= budget.tokensLeft ? selection.summary : null;
  const forMessages = summary === null ? budget.tokensLeft : budget.tokensLeft - cost;
  const affordable = startOfNewestWithin(rows, forMessages, (row) => messageCost(row, budget.encoding));
  const from = skipLeadingAnswers(rows, Math.max(selection.from, affordable));
  const cutByBudget = affordable > selection.from || summary !== selection.summary;
  const cutByStrategy = from > 0 || !history.complete;
  return {
    summary,
    messages: rows.slice(from),
    foldThrough: selection.foldThrough,
    limitedBy: cutByBudget ? 'budget' : cutByStrategy ? 'strategy' : null,
  };
}

type Rows = readonly Pick<Message, 'role'>[];

/** An answer without its question tells the model nothing. */
function skipLeadingAnswers(rows: Rows, from: number): number {
  let index = from;
  while (rows[index]?.role === 'assistant') index += 1;
  return index;
}

/** Finds the index from which the newest rows weigh at most `limit` together; stops at the first that does not fit. */
export function startOfNewestWithin(rows: readonly Message[], limit: number, weigh: (row: Message) => number): number {
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

/** Finds the index from which the newest `turns` answered turns stand; talk after the last answer is not counted. */
export function startOfNewestTurns(rows: Rows, turns: number): number {
  if (turns === 0) return rows.length;
  let starts = rows.at(-1)?.role === 'assistant' ? 0 : -1;
  for (let index = rows.length - 1; index > 0; index -= 1) {
    if (startsTurn(rows, index)) starts += 1;
    if (starts === turns) return index;
  }
  return 0;
}

/** A turn starts at a user message after an answer; the first row of a list is never sure to start one. */
export function startsTurn(rows: Rows, index: number): boolean {
  return rows[index]?.role === 'user' && rows[index - 1]?.role === 'assistant';
}
