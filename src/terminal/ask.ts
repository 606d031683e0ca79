import { randomUUID } from 'node:crypto';
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import { terminalSession } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import { TERMINAL_AUTHOR } from './run-command.js';
import { safeText } from './safe-text.js';

/** Who chats, in which session, in which language, by which clock. */
export type Seat = { session: string; author: string; words: Words; clock: Clock };

/** How a chat looks: the name in front of an answer, notes in small, errors in red; and where it is written. */
export type Screen = {
  answer: string;
  note(text: string): string;
  error(text: string): string;
  write(text: string): void;
};

/** Asks one question and shows its answer as it comes, on the screen; every question ends in an answer or a sentence. */
export async function ask(
  chatbot: Chatbot,
  seat: Seat,
  text: string,
  signal: AbortSignal,
  screen: Screen,
): Promise<void> {
  await chatbot.hear({
    session: terminalSession(seat.session),
    platformId: randomUUID(),
    authorId: TERMINAL_AUTHOR,
    authorName: seat.author,
    text,
    quote: null,
    createdAt: seat.clock(),
    addressed: true,
  });
  await showAnswer(chatbot, seat, signal, screen);
}

/** Answers what was still unanswered when the chat last ended, if anything was; its questions are shown again. */
export async function answerWaiting(chatbot: Chatbot, seat: Seat, signal: AbortSignal, screen: Screen): Promise<void> {
  const waiting = await chatbot.deliveries.unfinishedAnswer(terminalSession(seat.session).id);
  for (const question of waiting?.turn.questions ?? []) {
    screen.write(`${safeText(question.authorName)}> ${safeText(question.text)}\n`);
  }
  await showAnswer(chatbot, seat, signal, screen);
}

async function showAnswer(chatbot: Chatbot, seat: Seat, signal: AbortSignal, screen: Screen): Promise<void> {
  const { write, note } = screen;
  let last = '';
  const show = async (pieces: AsyncIterable<string>) => {
    for await (const piece of pieces) {
      if (last === '') write(screen.answer);
      write(safeText(piece));
      last = piece.at(-1) ?? last;
    }
  };
  const outcome = await chatbot.answer(terminalSession(seat.session), show, { signal });
  if (last !== '' && last !== '\n') write('\n');
  if (outcome.kind === 'cancelled') write(`${note(seat.words.answerStopped)}\n`);
  if (outcome.kind === 'expired') write(`${note(seat.words.chat.expired)}\n`);
  if (outcome.kind === 'failed') write(`${screen.error(outcome.error.message)}\n`);
  if (outcome.kind === 'answered' && outcome.finish === 'length') write(`${note(seat.words.answerCutOff)}\n`);
}
