import type { Message, NewMessage } from '../conversation/message.js';
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

/** A turn whose answer is stored already: it takes no question that came after that answer. */
export function resumedTurn(turn: Turn, answer: Message | null): Turn {
  if (answer === null) return turn;
  return { ...turn, answerSeq: answer.seq, questions: turn.questions.filter(({ seq }) => seq < answer.seq) };
}
