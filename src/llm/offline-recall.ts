import { factPoints, isQuestion } from './offline-cues.js';
import { answerForms, asksForEverything, tellsWhatIsAsked } from './offline-intents.js';
import { ASSISTANT, type Said } from './offline-lines.js';
import { type Subject, subjectOf } from './offline-subject.js';
import { type Terms, termsOf } from './offline-terms.js';
import { sentences } from './offline-text.js';

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
export function recallSentences(remembered: readonly Said[], question: Said): Said[] {
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
