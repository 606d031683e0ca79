import { asksForEverything, isAboutMyself } from './offline-intents.js';
import type { Said } from './offline-lines.js';

/** Whom a question is about, as far as its words tell. */
export type Subject = {
  /** Whether it is about somebody in particular. */
  given: boolean;
  /** Said by the subject, or of it by name; true for all when nobody in particular is meant. */
  concerns(said: Said): boolean;
  /** Said by the subject. */
  isSpeaker(said: Said): boolean;
  /** Whether what was said may be quoted at all: not what others say of themselves, to one who asks of himself. */
  allows(said: Said): boolean;
};

const SECOND_PERSON = /\b(?:you|your|yours|you['’]\p{L}+)\b|[你您]/iu;
/** The most people that one question is taken to be about. */
const NAMES = 8;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** The subject of a question: the asker ("my", "我"), the speakers it names, or nobody in particular. */
export function subjectOf(remembered: readonly Said[], question: Said): Subject {
  const names = isAboutMyself(question.text) ? [question.speaker] : namedIn(question.text, remembered);
  const mine = names[0] === question.speaker;
  if (names.length === 0) return { given: false, concerns: () => true, isSpeaker: () => false, allows: () => true };
  const folded = new Set(names.map(fold));
  const isSpeaker = (said: Said) => folded.has(fold(said.speaker));
  const concerns = (said: Said) => isSpeaker(said) || names.some((name) => mentions(said.text, name));
  const unattributed = (said: Said) => said.speaker === '';
  return {
    given: true,
    isSpeaker,
    concerns,
    allows: (said) =>
      !mine ||
      concerns(said) ||
      unattributed(said) ||
      !isAboutMyself(said.text) ||
      (SECOND_PERSON.test(said.text) && !asksForEverything(question.text)),
  };
}

/** Whether a text names somebody, as a word of its own where the script has words. */
export function mentions(text: string, name: string): boolean {
  if (UNSPACED.test(name)) return fold(text).includes(fold(name));
  const wanted = words(name);
  return wanted.trim() !== '' && words(text).includes(wanted);
}

function namedIn(text: string, remembered: readonly Said[]): string[] {
  const speakers = new Set(remembered.map(({ speaker }) => speaker).filter((speaker) => speaker !== ''));
  return [...speakers].filter((speaker) => mentions(text, speaker)).slice(0, NAMES);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

function words(text: string): string {
  return ` ${(fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `;
}
