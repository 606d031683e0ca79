import { setImmediate } from 'node:timers/promises';
import { ModelError } from '../conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt } from '../conversation/model.js';
import {
  answerForms,
  asksForEverything,
  factPoints,
  isAboutTheBot,
  isFiller,
  isQuestion,
  type Subject,
  subjectOf,
  tellsWhatIsAsked,
} from './offline-cues.js';
import { foldSummary, rewriteSummary } from './offline-summary.js';
import {
  ASSISTANT,
  estimateTokens,
  isChinese,
  isLabelled,
  LONGEST_SENTENCE,
  type Phrases,
  phrasesFor,
  readFence,
  readLines,
  type Said,
  sentences,
  type Terms,
  termsOf,
} from './offline-text.js';

/** A remembered sentence that may be quoted. `context` is what somebody else had asked just before. */
type Candidate = Said & { terms: Terms; context: Terms; order: number };

/** The share of a question's words that a sentence must hold to be about it. */
const RELEVANT = 0.3;
/** What scores less than this share of the best is not quoted beside it. */
const CLOSE = 0.7;
/** What a word counts that stands only in the question before. */
const CONTEXT = 0.7;
const QUOTES = 3;
const FACTS = 6;
const NO_TERMS: Terms = new Map();

/** The remembered sentences that are closest to a question, best first; none when nothing is about it. */
function recallSentences(remembered: readonly Said[], question: Said): Said[] {
  const subject = subjectOf(remembered, question);
  const candidates = candidatesOf(remembered).filter((candidate) => subject.allows(candidate));
  const asked = new Map(termsOf(question.text));
  for (const { speaker } of remembered) for (const term of termsOf(speaker).keys()) asked.delete(term);
  const forms = answerForms(question.text);
  if (asked.size === 0 && forms.length === 0) {
    return subject.given || asksForEverything(question.text) ? bestFacts(candidates, subject) : [];
  }
  const score = scorer(candidates, asked, forms, subject, question.text);
  const found = candidates.map((candidate) => ({ candidate, score: score(candidate) })).filter((one) => one.score > 0);
  found.sort((one, other) => other.score - one.score || other.candidate.order - one.candidate.order);
  const floor = (found[0]?.score ?? 0) * CLOSE;
  return distinct(found.filter((one) => one.score >= floor).map((one) => one.candidate)).slice(0, QUOTES);
}

/** Sentences that are not questions, each with the terms of its speaker's name and of a question before it. */
function candidatesOf(remembered: readonly Said[]): Candidate[] {
  const candidates: Candidate[] = [];
  let before: { speaker: string; asked: Terms } = { speaker: '', asked: NO_TERMS };
  for (const { speaker, text, source } of remembered) {
    const parts = sentences(text);
    const context = before.speaker === speaker || speaker === ASSISTANT ? NO_TERMS : before.asked;
    for (const sentence of parts) {
      if (isQuestion(sentence)) continue;
      candidates.push({ speaker, text: sentence, source, terms: termsOf(sentence), context, order: candidates.length });
    }
    const asked = termsOf(parts.filter(isQuestion).join('\n'));
    if (speaker !== ASSISTANT || asked.size > 0) before = { speaker, asked };
  }
  return candidates;
}

function scorer(
  candidates: readonly Candidate[],
  asked: Terms,
  forms: readonly RegExp[],
  subject: Subject,
  question: string,
): (candidate: Candidate) => number {
  const weights = new Map<string, number>();
  for (const [term, weight] of asked) {
    const holding = candidates.reduce((sum, { terms }) => sum + (terms.has(term) ? 1 : 0), 0);
    weights.set(term, weight * (1 + Math.log(1 + candidates.length / (1 + holding))));
  }
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return (candidate) => {
    let held = 0;
    for (const [term, weight] of weights) {
      if (candidate.terms.has(term)) held += weight;
      else if (candidate.context.has(term)) held += weight * CONTEXT;
    }
    const coverage = whole === 0 ? 0 : held / whole;
    const formed = subject.concerns(candidate) && forms.some((form) => form.test(candidate.text));
    if (coverage < RELEVANT && !formed) return 0;
    const score =
      (formed ? 3 + 0.2 * coverage : 3 * coverage) +
      (subject.isSpeaker(candidate) ? 0.8 : 0) +
      (tellsWhatIsAsked(question, candidate.text) ? 0.5 : 0) +
      0.05 * Math.min(factPoints(candidate.text), 10) +
      0.6 * (candidate.order / candidates.length);
    return candidate.speaker === ASSISTANT ? score * 0.6 : score;
  };
}

/** What is most worth knowing of a subject, in the order in which it was said. */
function bestFacts(candidates: readonly Candidate[], subject: Subject): Said[] {
  const facts = candidates
    .filter((candidate) => candidate.speaker !== ASSISTANT && subject.concerns(candidate))
    .map((candidate) => ({ candidate, points: factPoints(candidate.text) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points || other.candidate.order - one.candidate.order);
  const best = distinct(facts.map(({ candidate }) => candidate)).slice(0, FACTS);
  return best.sort((one, other) => one.order - other.order);
}

/** Each sentence of a speaker once; the first one stays. */
function distinct<T extends Said>(said: readonly T[]): T[] {
  const seen = new Set<string>();
  return said.filter(({ speaker, text }) => {
    const key = `${speaker}\n${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The longest question that is read in full, in code units. */
const LONGEST_QUESTION = 4_000;

/** What a prompt holds: what is remembered, oldest first, and the question, with its asker as the speaker. */
type Reading = { remembered: Said[]; question: Said };

/**
 * Answers the last message from nothing but the prompt: a question with the closest remembered sentences, who said them
 * and where they stand; a statement with a note. Always labelled; within about `maxTokens`, but for the label.
 */
function answerFrom(prompt: Prompt, maxTokens: number): string {
  const { remembered, question } = readPrompt(prompt);
  const phrases = phrasesFor(isChinese(question.text));
  const lines = reply(remembered, question, phrases);
  const kept: string[] = [];
  let room = maxTokens - estimateTokens(phrases.label);
  for (const line of lines) {
    room -= estimateTokens(line) + 1;
    if (kept.length > 0 && room < 0) break;
    kept.push(line);
  }
  return [phrases.label, ...kept].join('\n');
}

function reply(remembered: readonly Said[], question: Said, phrases: Phrases): string[] {
  const { text } = question;
  if (!isQuestion(text)) {
    const told = sentences(text).filter((sentence) => !isFiller(sentence));
    return [told.length > 0 ? phrases.noted(shorten(told.join(' '))) : phrases.heard];
  }
  if (isAboutTheBot(text)) return [phrases.self];
  const found = recallSentences(remembered, question);
  if (found.length === 0) return [phrases.nothing];
  return found.map((said) => `> ${quote(said)} ${phrases.source[said.source]}`);
}

function quote({ speaker, text }: Said): string {
  const line = shorten(text);
  return speaker === '' ? line : `${speaker}: ${line}`;
}

/** One line, at most as long as the longest sentence. */
function shorten(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const signs = [...line];
  return signs.length > LONGEST_SENTENCE ? `${signs.slice(0, LONGEST_SENTENCE).join('')}…` : line;
}

function readPrompt(prompt: Prompt): Reading {
  const summary = readFence(prompt.system, 'summary');
  const remembered = summary === null ? [] : readLines(summary.inside, 'summary');
  for (const { role, content } of prompt.messages.slice(0, -1)) {
    if (role === 'user') remembered.push(...readLines(content, 'messages'));
    else if (!isLabelled(content))
      remembered.push({ speaker: ASSISTANT, text: unlabelled(content), source: 'message' });
  }
  const last = readLines(prompt.messages.at(-1)?.content ?? '', 'messages');
  const { speaker, text } = last.pop() ?? { speaker: '', text: '' };
  return { remembered: [...remembered, ...last], question: { speaker, text: headAndTail(text), source: 'message' } };
}

function headAndTail(text: string): string {
  return text.length <= LONGEST_QUESTION
    ? text
    : `${text.slice(0, LONGEST_QUESTION / 2)}\n${text.slice(-LONGEST_QUESTION / 2)}`;
}

/** An answer up to a labelled one that was merged behind it. */
function unlabelled(content: string): string {
  const lines = content.split('\n');
  const end = lines.findIndex(isLabelled);
  return (end < 0 ? lines : lines.slice(0, end)).join('\n');
}

/** A word with the white space before it; long ones, and scripts without spaces, in parts. */
const PIECE = /\s*\S{1,12}|\s+/gu;

/**
 * The stand-in for when no language model is connected. It makes nothing up: it answers by quoting from its prompt, with
 * a label that says so, and folds and rewrites summaries by choosing sentences. The same prompt gives the same text.
 */
export function createOfflineModel(): ChatModel {
  return { id: 'offline', encoding: 'o200k_base', contextWindow: 8_192, safety: 0.2, stream };
}

async function* stream(prompt: Prompt, call: ModelCall): AsyncGenerator<string, Completion, void> {
  stopIfCancelled(call.signal);
  for (const [piece] of write(prompt, call).toWellFormed().matchAll(PIECE)) {
    yield piece;
    await setImmediate();
    stopIfCancelled(call.signal);
  }
  return { finish: 'stop', usage: null };
}

function write(prompt: Prompt, call: ModelCall): string {
  switch (call.task) {
    case 'answer':
      return answerFrom(prompt, call.maxTokens);
    case 'summary':
      return foldSummary(prompt, call.maxTokens);
    case 'rewrite':
      return rewriteSummary(prompt);
  }
}

function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ModelError('cancelled', 'The answer was stopped.', { cause: signal.reason });
}
