import { countedOf, type Message, type NewMessage, type TokenCount } from '../conversation/message.js';
import type { Answer, Turn } from '../conversation/store.js';

/** The row of an answer that is being delivered; it carries its trigger's platform id. */
export function answerMessage(trigger: Message, answer: Answer): NewMessage {
  const { sessionId, platformId } = trigger;
  const { text, authorId, authorName, createdAt } = answer;
  return {
    sessionId,
    platformId,
    role: 'assistant',
    authorId,
    authorName,
    text,
    quote: null,
    createdAt,
    state: 'pending',
  };
}

/** The counts of what a turn asks, each with what was counted; others are left out. */
export function questionCounts({ questions }: Turn, counts: readonly TokenCount[]): TokenCount[] {
  return counts.flatMap((count) => {
    const question = questions.find(({ seq }) => seq === count.seq);
    return question === undefined ? [] : [{ of: countedOf(question), ...count }];
  });
}

/** A turn whose answer is stored already: it takes no question that came after that answer. */
export function resumedTurn(turn: Turn, answer: Message | null): Turn {
  if (answer === null) return turn;
  const questions = turn.questions.filter(({ seq }) => seq < answer.seq);
  return { ...turn, answerSeq: answer.seq, questions, answerTo: answer.platformId };
}
