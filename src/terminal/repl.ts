import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import type { Chatbot } from '../chatbot/chatbot.js';
import { KeepsakeError } from '../conversation/errors.js';
import { terminalSession } from '../conversation/session.js';
import { answerWaiting, ask, type Screen, type Seat } from './ask.js';
import { createInterrupts } from './interrupts.js';
import { meantCommand } from './misread.js';
import { runCommand } from './run-command.js';
import { safeText } from './safe-text.js';

/** Where a terminal chat takes place. `interactive` shows a prompt and colours; without it one line is one question. */
export type Terminal = { input: Readable; output: Writable; interactive: boolean };

/**
 * Chats in a terminal until `/quit`, the end of the input, an output that nobody reads any more, or Ctrl-C while nothing
 * is being answered; the first Ctrl-C stops a running answer. Questions and commands are taken in order, after a
 * question that was still unanswered when the chat last ended. Resolves with whether every line was carried out.
 */
export async function chat(chatbot: Chatbot, terminal: Terminal, seat: Seat): Promise<boolean> {
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
