import { ModelError } from '../conversation/errors.js';
import { type Encoding, type ModelCall, type Prompt, readStream, type TokenCounter } from '../conversation/model.js';
import type { PromptDependencies } from './dependencies.js';
import { storedSession } from './sessions.js';
import { settingsFor } from './settings.js';
import { countText } from './token-counts.js';
import { chargeStream, payerOf, tokenLimitsOf } from './usage.js';

/**
 * Calls the summarizer, at the charge of the session's server, and collects its text.
 * @throws {ModelError} when there is none; a filtered text counts as none.
 * @throws {BudgetError} when the server's budget is used up.
 */
export async function askSummarizer(
  deps: PromptDependencies,
  sessionId: string,
  prompt: Prompt,
  call: ModelCall,
  promptTokens: number,
): Promise<string> {
  const { store, summaryModel, options } = deps;
  const session = await storedSession(store, { id: sessionId, parentId: null, serverId: null });
  const limits = { ...tokenLimitsOf(await settingsFor(store, session, options), options), person: null };
  const estimate = { prompt: promptTokens, answer: call.maxTokens };
  const stream = chargeStream(deps, payerOf(deps, session, ''), limits, estimate, summaryModel.stream(prompt, call));
  const { text, completion } = await readStream(stream);
  if (completion.finish !== 'filtered') return text;
  throw new ModelError('filtered', 'The model provider refused to summarise this.');
}

/** The openings of refusals, and of errors that middleware reports as if they were answers. */
const REFUSAL_OR_ERROR =
  /^\W*(?:i['’]?m sorry,? (?:but|i\b)|i am sorry,? (?:but|i\b)|sorry,? (?:but )?i\b|i can(?:no|['’])t (?:assist|help|comply|do|summari)|as an ai\b|error(?::| generating| code| \d{3}\b)|\w*exception:|traceback \(|http(?: error)? \d{3}|\{\s*"error|<!doctype|<html|抱歉，?我|很抱歉|对不起，?我|對不起，?我)/iu;
/** A refusal or an error is short; a longer text that begins like one reports it. In characters. */
const MAX_REFUSAL_LENGTH = 400;

/** The fences around the summarizer's input. */
const INPUT_FENCE = /<\/?(?:transcript|summary)-[0-9a-f]{12}>/u;

/** Tells why a text is no summary of its source, or null when it may be one. */
export function rejectionReason(text: string, source: string): string | null {
  const plain = normalize(text);
  const original = normalize(source);
  if (plain === '') return 'it was empty';
  if (text.length <= MAX_REFUSAL_LENGTH && REFUSAL_OR_ERROR.test(text)) return 'it was a refusal or an error text';
  if (INPUT_FENCE.test(text)) return 'it gave its input back';
  // The lines of people alone may be worth keeping word for word; a whole dialogue is never a summary of itself.
  if (/^Assistant: /mu.test(source) && plain.includes(original)) return 'it gave its input back';
  return null;
}

/**
 * Cuts a text at the last sentence boundary within `cap` tokens; a first sentence that is too long is cut inside.
 * @returns the text with its count.
 */
export async function fitSummary(
  counter: TokenCounter,
  text: string,
  cap: number,
  encoding: Encoding,
): Promise<{ text: string; tokens: number }> {
  const measure = (candidate: string) => countText(counter, candidate, encoding);
  const fitted = await cutAtSentence(text.trim(), cap, measure);
  return { text: fitted, tokens: await measure(fitted) };
}

async function cutAtSentence(text: string, cap: number, measure: (text: string) => Promise<number>): Promise<string> {
  if ((await measure(text)) <= cap) return text;
  const boundaries = sentenceBoundaries(text);
  let low = 0;
  let high = boundaries.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await measure(text.slice(0, boundaries[middle]).trimEnd())) <= cap) low = middle;
    else high = middle - 1;
  }
  const kept = text.slice(0, boundaries[low]).trimEnd();
  return kept === '' || (await measure(kept)) > cap ? cutInsideSentence(text, cap, measure) : kept;
}

/** The offsets behind each sentence or line; the first is 0. */
function sentenceBoundaries(text: string): number[] {
  const boundaries = [0];
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    boundaries.push(index + segment.length);
  }
  return boundaries;
}

async function cutInsideSentence(
  text: string,
  cap: number,
  measure: (text: string) => Promise<number>,
): Promise<string> {
  let length = text.length;
  let kept = text;
  while (length > 0 && (await measure(kept)) > cap) {
    length = Math.floor(length * 0.8);
    kept = text.slice(0, length).toWellFormed().trimEnd();
  }
  return kept;
}

function normalize(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
