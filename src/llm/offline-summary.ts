import type { Prompt } from '../conversation/model.js';
import { factPoints, isFiller, isQuestion, mentions } from './offline-cues.js';
import { ASSISTANT, estimateTokens, readFence, readLines, type Said, sentences } from './offline-text.js';

/** A line that may stand in a summary. `worth` is its fact points by the square root of its length. */
type Line = { text: string; key: string; isFact: boolean; worth: number; cost: number; order: number };

/** A kept fact gives way only to one that is worth twice as much; kept chatter gives way to new chatter. */
const KEPT = { fact: 2, chatter: 0.5 };
const NEW = { fact: 1, chatter: 1 };
const ASSISTANT_SHARE = 0.4;
/** What a sentence without any sign of a fact is worth; questions and greetings are worth nothing. */
const CHATTER_POINTS = 0.3;
/** The share of a summary that sentences without any sign of a fact may take. */
const CHATTER_SHARE = 0.25;

/**
 * Folds a transcript into a summary by choosing from both what looks most like facts, attributed and word for word,
 * in the order in which it was said, within about `maxTokens`. Chatter takes a quarter of it at most.
 */
export function foldSummary(prompt: Prompt, maxTokens: number): string {
  const input = prompt.messages.at(-1)?.content ?? '';
  const summary = readFence(input, 'summary');
  const transcript = readFence(summary?.after ?? input, 'transcript');
  const kept = summary === null ? [] : linesOf(readLines(summary.inside, 'summary'), KEPT);
  const said = transcript === null ? [] : linesOf(readLines(transcript.inside, 'transcript'), NEW);
  const lines = distinct([...kept, ...said]).map((line, order) => ({ ...line, order }));
  return choose(lines, maxTokens);
}

/**
 * Writes a summary again without what the named people said or what names them. What nobody is named for is left out
 * as well, because it may be about them.
 */
export function rewriteSummary(prompt: Prompt): string {
  const input = prompt.messages.at(-1)?.content ?? '';
  const summary = readFence(input, 'summary');
  const without = readFence(summary?.after ?? '', 'without');
  if (summary === null || without === null) return '';
  const names = without.inside.split('\n').filter((name) => name.trim() !== '');
  return readLines(summary.inside, 'summary')
    .filter(({ speaker }) => speaker !== '')
    .map(({ speaker, text }) => `${speaker}: ${text}`)
    .filter((line) => !names.some((name) => mentions(line, name) || line.toLowerCase().includes(name.toLowerCase())))
    .join('\n');
}

function linesOf(said: readonly Said[], factor: typeof KEPT): Line[] {
  return said.flatMap(({ speaker, text }) => {
    const share = speaker === ASSISTANT ? ASSISTANT_SHARE : 1;
    return sentences(text).map((sentence) => {
      const line = (speaker === '' ? sentence : `${speaker}: ${sentence}`).replace(/\s+/gu, ' ');
      const empty = isFiller(sentence) || isQuestion(sentence);
      const points = empty ? 0 : factPoints(sentence);
      const weighed = points > 0 ? points * factor.fact : empty ? 0 : CHATTER_POINTS * factor.chatter;
      return {
        text: line,
        key: line
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, ' ')
          .trim(),
        isFact: points > 0,
        worth: (weighed * share) / Math.sqrt(estimateTokens(sentence) + 4),
        cost: estimateTokens(line) + 1,
        order: 0,
      };
    });
  });
}

/** The most worthy lines that fit, in their order; at least one, even if it does not fit. */
function choose(lines: readonly Line[], maxTokens: number): string {
  const best = [...lines].sort((one, other) => other.worth - one.worth || one.order - other.order);
  const chosen: Line[] = [];
  const room = { all: maxTokens, chatter: maxTokens * CHATTER_SHARE };
  for (const line of best) {
    const left = line.isFact ? room.all : Math.min(room.all, room.chatter);
    if (chosen.length > 0 && (line.cost > left || line.worth === 0)) continue;
    chosen.push(line);
    room.all -= line.cost;
    if (!line.isFact) room.chatter -= line.cost;
  }
  chosen.sort((one, other) => one.order - other.order);
  return chosen.map(({ text }) => text).join('\n');
}

function distinct(lines: readonly Line[]): Line[] {
  const seen = new Set<string>();
  return lines.filter(({ key }) => key !== '' && !seen.has(key) && seen.add(key));
}
