import type { Message } from './message.js';
import type { Turn } from './store.js';

/** The question that an answer belongs and replies to: the last one that waits. */
export function triggerOf({ questions }: Pick<Turn, 'questions'>): Message | undefined {
  return questions.findLast(({ state }) => state === 'pending');
}

/**
 * The platform id by which a turn's answer is known: that of the question which it was stored for, else its trigger's, or its
 * last question's where none waits any more.
 */
export function triggerIdOf(turn: Pick<Turn, 'questions' | 'answerTo'>): string {
  return turn.answerTo ?? (triggerOf(turn) ?? turn.questions.at(-1))?.platformId ?? '';
}
