import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import { KeepsakeError } from '../conversation/errors.js';
import { terminalSession } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import { meantCommand, runCommand, safeText, TERMINAL_AUTHOR } from './commands.js';

/** Who chats, in which session, in which language, by which clock. */
type ChatSession = { session: string; author: string; words: Words; clock: Clock };

/** How a chat looks: the name in front of an answer, notes in small, errors in red; and where it is written. */
type Screen = {
  answer: string;
  note(text: string): string;
  error(text: string): string;
  write(text: string): void;
};

/** Asks one question and shows its answer as it comes, on the screen; every question ends in an answer or a sentence. */
async function ask(
  chatbot: Chatbot,
  seat: ChatSession,
  text: string,
  signal: AbortSignal,
  screen: Screen,
): Promise<void> {
  await chatbot.receive({
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
async function answerWaiting(chatbot: Chatbot, seat: ChatSession, signal: AbortSignal, screen: Screen): Promise<void> {
  const waiting = await chatbot.deliveries.unfinishedAnswer(terminalSession(seat.session).id);
  for (const question of waiting?.turn.questions ?? []) {
    screen.write(`${safeText(question.authorName)}> ${safeText(question.text)}\n`);
  }
  await showAnswer(chatbot, seat, signal, screen);
}

async function showAnswer(chatbot: Chatbot, seat: ChatSession, signal: AbortSignal, screen: Screen): Promise<void> {
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

/** What Ctrl-C does in a chat, and whether the chat is over. */
type Interrupts = {
  readonly ended: boolean;
  /** Runs one piece of work that the first Ctrl-C stops. */
  watch(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Gives Ctrl-C back to whoever had it before. */
  close(): void;
};

/**
 * Listens to Ctrl-C: the first one stops what runs; the next one, or one while nothing runs, ends the chat, and so does
 * an output that broke. A line that is typed in between begins anew.
 */
function createInterrupts(lines: Interface, output: Writable): Interrupts {
  let running: AbortController | null = null;
  let stopped = false;
  let ended = false;
  const end = () => {
    ended = true;
    running?.abort();
    lines.close();
  };
  const interrupt = () => {
    if (running === null || stopped) return end();
    stopped = true;
    running.abort();
  };
  const typed = () => {
    stopped = false;
  };
  lines.on('SIGINT', interrupt);
  lines.on('line', typed);
  process.on('SIGINT', interrupt);
  output.on('error', end);
  return {
    get ended() {
      return ended;
    },
    async watch(work) {
      running = new AbortController();
      try {
        await work(running.signal);
      } finally {
        running = null;
      }
    },
    close: () => void process.off('SIGINT', interrupt),
  };
}

/** Where a terminal chat takes place. `interactive` shows a prompt and colours; without it one line is one question. */
type Terminal = { input: Readable; output: Writable; interactive: boolean };

/**
 * Chats in a terminal until `/quit`, the end of the input, an output that nobody reads any more, or Ctrl-C while nothing
 * is being answered; the first Ctrl-C stops a running answer. Questions and commands are taken in order, after a
 * question that was still unanswered when the chat last ended. Resolves with whether every line was carried out.
 */
export async function chat(chatbot: Chatbot, terminal: Terminal, seat: ChatSession): Promise<boolean> {
  const { input, output, interactive } = terminal;
  const lines = createInterface({ input, output, terminal: interactive, prompt: `${seat.author}> ` });
  const interrupts = createInterrupts(lines, output);
  const write = (text: string) => void (interrupts.ended || output.write(text));
  const colours = coloursOf(interactive);
  let allWell = true;
  const error = (text: string) => {
    allWell = false;
    return colours.error(text);
  };
  const screen: Screen = { ...colours, error, write };
  const answer = async (line: string, signal: AbortSignal) => {
    if (line.startsWith('/')) {
      const shown = await runCommand(chatbot, seat.words, terminalSession(seat.session), seat.author, line);
      write(`${shown.join('\n')}\n`);
      return;
    }
    const meant = interactive ? meantCommand(line) : null;
    if (meant !== null) write(`${screen.note(seat.words.meantCommand(meant))}\n`);
    else if (line.trim() !== '' || !interactive) await ask(chatbot, seat, line, signal, screen);
  };
  const carryOut = async (work: (signal: AbortSignal) => Promise<void>) => {
    await interrupts.watch(work).catch((error) => write(`${screen.error(safeText(sentenceOf(error)))}\n`));
    if (interactive && !interrupts.ended) lines.prompt();
  };
  const typed = lines[Symbol.asyncIterator]();
  await carryOut((signal) => answerWaiting(chatbot, seat, signal, screen));
  for await (const line of typed) {
    if (interrupts.ended || line.trim().toLowerCase() === '/quit') break;
    await carryOut((signal) => answer(line.trimEnd(), signal));
  }
  interrupts.close();
  lines.close();
  return allWell;
}

function coloursOf(interactive: boolean): Omit<Screen, 'write'> {
  const colours = pc.createColors(interactive && pc.isColorSupported);
  return { answer: colours.cyan('keepsake> '), note: colours.dim, error: colours.red };
}

/** What a person is told of an error; anything unforeseen is a fault of the program and ends it. */
function sentenceOf(error: unknown): string {
  if (error instanceof KeepsakeError) return error.message;
  throw error;
}
