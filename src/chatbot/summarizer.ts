import { ModelError } from '../conversation/errors.js';
import { type Encoding, type ModelCall, type Prompt, readStream, type TokenCounter } from '../conversation/model.js';
import type { RecallDependencies } from './dependencies.js';
import { settingsFor } from './settings.js';
import { chargeStream, limitsOf, payerOf } from './usage.js';

/**
 * Asks the summarising model, on the account of the session's server, and gathers its text.
 * @throws {ModelError} when there is none; a filtered text counts as none. @throws {BudgetError} when the account is empty.
 */
export async function askSummarizer(
  deps: RecallDependencies,
  sessionId: string,
  prompt: Prompt,
  call: ModelCall,
  promptTokens: number,
): Promise<string> {
  const { store, summaryModel, options } = deps;
  const session = (await store.findSession(sessionId)) ?? { id: sessionId, parentId: null, serverId: null };
  const limits = { ...limitsOf(await settingsFor(store, session, options), options), person: null };
  const estimate = { prompt: promptTokens, answer: call.maxTokens };
  const stream = chargeStream(deps, payerOf(deps, session, ''), limits, estimate, summaryModel.stream(prompt, call));
  const { text, completion } = await readStream(stream);
  if (completion.finish !== 'filtered') return text;
  throw new ModelError('filtered', 'The model provider refused to summarise this.');
}

/** Words with which models refuse, and with which middleware reports errors as if they were text. */
const NOT_A_SUMMARY =
  /^\W*(?:i['’]?m sorry,? (?:but|i\b)|i am sorry,? (?:but|i\b)|sorry,? (?:but )?i\b|i can(?:no|['’])t (?:assist|help|comply|do|summari)|as an ai\b|error(?::| generating| code| \d{3}\b)|\w*exception:|traceback \(|http(?: error)? \d{3}|\{\s*"error|<!doctype|<html|抱歉，?我|很抱歉|对不起，?我|對不起，?我)/iu;
/** A refusal or an error is short; a longer text that begins like one tells of it. */
const LONGEST_REFUSAL = 400;

/** The marks around what the summariser was given. */
const INPUT_MARK = /<\/?(?:transcript|summary)-[0-9a-f]{12}>/u;

/** Says why a text cannot stand as a summary of its source, or null when it can. */
export function summaryFault(text: string, source: string): string | null {
  const plain = normalize(text);
  const original = normalize(source);
  if (plain === '') return 'it was empty';
  if (text.length <= LONGEST_REFUSAL && NOT_A_SUMMARY.test(text)) return 'it was a refusal or an error text';
  if (INPUT_MARK.test(text)) return 'it gave its input back';
  // One side's lines alone may be worth keeping word for word; a whole dialogue never is a summary of itself.
  if (/^Assistant: /mu.test(source) && plain.includes(original)) return 'it gave its input back';
  return null;
}

/** Cuts a text at the last sentence border at which it still fits `cap` tokens; a first sentence too long is cut inside. */
export async function capSummary(
  counter: TokenCounter,
  text: string,
  cap: number,
  encoding: Encoding,
): Promise<string> {
  const measure = async (candidate: string) => (await counter.count([candidate], encoding))[0] ?? 0;
  const trimmed = text.trim();
  if ((await measure(trimmed)) <= cap) return trimmed;
  const borders = sentenceBorders(trimmed);
  let low = 0;
  let high = borders.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await measure(trimmed.slice(0, borders[middle]).trimEnd())) <= cap) low = middle;
    else high = middle - 1;
  }
  const kept = trimmed.slice(0, borders[low]).trimEnd();
  return kept === '' || (await measure(kept)) > cap ? cutInside(trimmed, cap, measure) : kept;
}

/** Offsets behind each sentence or line; the first is 0. */
function sentenceBorders(text: string): number[] {
  const borders = [0];
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    borders.push(index + segment.length);
  }
  return borders;
}

async function cutInside(text: string, cap: number, measure: (text: string) => Promise<number>): Promise<string> {
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
