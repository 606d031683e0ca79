import { randomUUID } from 'node:crypto';
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import { terminalSession } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import { TERMINAL_AUTHOR } from './run-command.js';
import { safeText } from './safe-text.js';

/** Who chats, in which session, in which language, by which clock. */
export type Seat = { session: string; author: string; words: Words; clock: Clock };

/** How a chat looks: the name in front of an answer, notes in small, errors in red. */
export type Style = { answer: string; note: (text: string) => string; error: (text: string) => string };

/** Asks one question and shows its answer as it comes, through `write`; every question ends in an answer or a sentence. */
export async function ask(
  chatbot: Chatbot,
  seat: Seat,
  text: string,
  signal: AbortSignal,
  style: Style,
  write: (text: string) => void,
): Promise<void> {
  const session = terminalSession(seat.session);
  await chatbot.hear({
    session,
    platformId: randomUUID(),
    authorId: TERMINAL_AUTHOR,
    authorName: seat.author,
    text,
    quote: null,
    createdAt: seat.clock(),
    addressed: true,
  });
  let last = '\n';
  const show = async (pieces: AsyncIterable<string>) => {
    for await (const piece of pieces) {
      if (last === '\n') write(style.answer);
      write(safeText(piece));
      last = piece.at(-1) === '\n' ? '' : piece;
    }
  };
  const outcome = await chatbot.answer(session, show, { signal });
  if (last !== '\n') write('\n');
  if (outcome.kind === 'cancelled') write(`${style.note(seat.words.answerStopped)}\n`);
  if (outcome.kind === 'failed') write(`${style.error(outcome.error.message)}\n`);
  if (outcome.kind === 'answered' && outcome.finish === 'length') write(`${style.note(seat.words.answerCutOff)}\n`);
}
