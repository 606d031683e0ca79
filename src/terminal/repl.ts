import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import { KeepsakeError } from '../conversation/errors.js';
import { terminalSession } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import { commandWithoutSlash, runCommand, safeText, TERMINAL_AUTHOR } from './commands.js';

/** The streams of a terminal chat. `interactive` shows a prompt and colors; without it every line is a question. */
type Terminal = { input: Readable; output: Writable; interactive: boolean };

/** The name of the session and of the person who types. */
type ChatOptions = { session: string; author: string; words: Words; clock: Clock };

/**
 * Chats in a terminal until `/quit`, the end of the input, an output that was closed, or Ctrl-C while nothing is being
 * answered; the first Ctrl-C stops a running answer. A question that was still unanswered when the chat last ended is
 * answered first, then questions and commands in order. Resolves with whether every line succeeded.
 */
export async function chat(chatbot: Chatbot, terminal: Terminal, options: ChatOptions): Promise<boolean> {
  const { input, output, interactive } = terminal;
  const lines = createInterface({ input, output, terminal: interactive, prompt: `${options.author}> ` });
  const interrupts = createInterrupts(lines, output);
  const write = (text: string) => void (interrupts.ended || output.write(text));
  const styles = stylesOf(interactive);
  let succeeded = true;
  const error = (text: string) => {
    succeeded = false;
    return styles.error(text);
  };
  const screen: Screen = { ...styles, error, write };
  const runLine = async (line: string, signal: AbortSignal) => {
    if (line.startsWith('/')) {
      const shown = await runCommand(chatbot, options.words, terminalSession(options.session), options.author, line);
      write(`${shown.join('\n')}\n`);
      return;
    }
    const command = interactive ? commandWithoutSlash(line) : null;
    if (command !== null) write(`${screen.note(options.words.meantCommand(command))}\n`);
    else if (line.trim() !== '' || !interactive) await ask(chatbot, options, line, signal, screen);
  };
  const run = async (task: (signal: AbortSignal) => Promise<void>) => {
    await interrupts.watch(task).catch((error) => write(`${screen.error(safeText(sentenceOf(error)))}\n`));
    if (interactive && !interrupts.ended) lines.prompt();
  };
  const typedLines = lines[Symbol.asyncIterator]();
  await run((signal) => answerPending(chatbot, options, signal, screen));
  for await (const line of typedLines) {
    if (interrupts.ended || line.trim().toLowerCase() === '/quit') break;
    await run((signal) => runLine(line.trimEnd(), signal));
  }
  interrupts.close();
  lines.close();
  return succeeded;
}

/** The output and its styles: the name in front of an answer, notes and errors. */
type Screen = {
  answer: string;
  note(text: string): string;
  error(text: string): string;
  write(text: string): void;
};

function stylesOf(interactive: boolean): Omit<Screen, 'write'> {
  const colors = pc.createColors(interactive && pc.isColorSupported);
  return { answer: colors.cyan('keepsake> '), note: colors.dim, error: colors.red };
}

async function ask(
  chatbot: Chatbot,
  options: ChatOptions,
  text: string,
  signal: AbortSignal,
  screen: Screen,
): Promise<void> {
  await chatbot.receive({
    session: terminalSession(options.session),
    platformId: randomUUID(),
    authorId: TERMINAL_AUTHOR,
    authorName: options.author,
    text,
    quote: null,
    createdAt: options.clock(),
    addressed: true,
  });
  await showAnswer(chatbot, options, signal, screen);
}

/** Answers questions that were pending when the chat last ended, and shows them again before their answer. */
async function answerPending(
  chatbot: Chatbot,
  options: ChatOptions,
  signal: AbortSignal,
  screen: Screen,
): Promise<void> {
  const unfinished = await chatbot.deliveries.unfinishedAnswer(terminalSession(options.session).id);
  for (const question of unfinished?.turn.questions ?? []) {
    screen.write(`${safeText(question.authorName)}> ${safeText(question.text)}\n`);
  }
  await showAnswer(chatbot, options, signal, screen);
}

async function showAnswer(
  chatbot: Chatbot,
  { session, words }: ChatOptions,
  signal: AbortSignal,
  screen: Screen,
): Promise<void> {
  const { write, note } = screen;
  let last = '';
  const show = async (pieces: AsyncIterable<string>) => {
    for await (const piece of pieces) {
      if (last === '') write(screen.answer);
      write(safeText(piece));
      last = piece.at(-1) ?? last;
    }
  };
  const outcome = await chatbot.answer(terminalSession(session), show, { signal });
  if (last !== '' && last !== '\n') write('\n');
  if (outcome.kind === 'cancelled') write(`${note(words.answerStopped)}\n`);
  if (outcome.kind === 'expired') write(`${note(words.chat.expired)}\n`);
  if (outcome.kind === 'failed') write(`${screen.error(outcome.error.message)}\n`);
  if (outcome.kind === 'answered' && outcome.finish === 'length') write(`${note(words.answerCutOff)}\n`);
}

/** The state of Ctrl-C in a chat; `ended` tells whether the chat is over. */
type Interrupts = {
  readonly ended: boolean;
  /** Runs one task that the first Ctrl-C aborts. */
  watch(task: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Removes the process's handler. */
  close(): void;
};

/**
 * Handles Ctrl-C: the first one aborts the running task; the next one, or one while nothing runs, ends the chat, and so does
 * an output that was closed. Typing a line starts the count again.
 */
function createInterrupts(lines: Interface, output: Writable): Interrupts {
  let running: AbortController | null = null;
  let interrupted = false;
  let ended = false;
  const end = () => {
    ended = true;
    running?.abort();
    lines.close();
  };
  const interrupt = () => {
    if (running === null || interrupted) return end();
    interrupted = true;
    running.abort();
  };
  lines.on('SIGINT', interrupt);
  lines.on('line', () => {
    interrupted = false;
  });
  process.on('SIGINT', interrupt);
  output.on('error', end);
  return {
    get ended() {
      return ended;
    },
    async watch(task) {
      running = new AbortController();
      try {
        await task(running.signal);
      } finally {
        running = null;
      }
    },
    close: () => void process.off('SIGINT', interrupt),
  };
}

/** An unforeseen error is a bug and ends the program. */
function sentenceOf(error: unknown): string {
  if (error instanceof KeepsakeError) return error.message;
  throw error;
}
