import { MESSAGE_OVERHEAD, type Message, renderLine } from '../conversation/message.js';
import type { Summary } from '../conversation/summary.js';
import { type Encoding, encodingFactor } from '../conversation/tokens.js';

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
