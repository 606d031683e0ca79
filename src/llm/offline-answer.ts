import type { Prompt } from '../conversation/model.js';
import { isFiller, isQuestion } from './offline-cues.js';
import { isAboutTheBot } from './offline-intents.js';
import { isLabelled, type Phrases, phrasesFor } from './offline-label.js';
import { ASSISTANT, readFence, readLines, type Said } from './offline-lines.js';
import { recallSentences } from './offline-recall.js';
import { estimateTokens, isChinese, LONGEST_SENTENCE, sentences } from './offline-text.js';

/** The longest question that is read in full, in code units. */
const LONGEST_QUESTION = 4_000;

/** What a prompt holds: what is remembered, oldest first, and the question, with its asker as the speaker. */
type Reading = { remembered: Said[]; question: Said };

/**
 * Answers the last message from nothing but the prompt: a question with the closest remembered sentences, who said them
 * and where they stand; a statement with a note. Always labelled; within about `maxTokens`, but for the label.
 */
export function answerFrom(prompt: Prompt, maxTokens: number): string {
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
