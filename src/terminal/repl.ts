import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import type { Chatbot } from '../chatbot/chatbot.js';
import { KeepsakeError } from '../conversation/errors.js';
import { terminalSession } from '../conversation/session.js';
import { ask, type Seat, type Style } from './ask.js';
import { runCommand } from './run-command.js';

/** Where a terminal chat takes place. `interactive` shows a prompt and colours; without it one line is one question. */
export type Terminal = { input: Readable; output: Writable; interactive: boolean };

/**
 * Chats in a terminal until `/quit`, the end of the input, or Ctrl-C while nothing is being answered; the first Ctrl-C
 * stops a running answer. Questions and commands are taken in order.
 */
export async function chat(chatbot: Chatbot, terminal: Terminal, seat: Seat): Promise<void> {
  const { input, output, interactive } = terminal;
  const lines = createInterface({ input, output, terminal: interactive, prompt: `${seat.author}> ` });
  const style = styleOf(interactive);
  let running: AbortController | null = null;
  const interrupt = () => (running !== null && !running.signal.aborted ? running.abort() : lines.close());
  const write = (text: string) => output.write(text);
  const answer = async (line: string, signal: AbortSignal) => {
    if (line.startsWith('/')) {
      const shown = await runCommand(chatbot, seat.words, terminalSession(seat.session), seat.author, line);
      write(`${shown.join('\n')}\n`);
    } else if (line.trim() !== '' || !interactive) await ask(chatbot, seat, line, signal, style, write);
  };
  lines.on('SIGINT', interrupt);
  process.on('SIGINT', interrupt);
  if (interactive) lines.prompt();
  for await (const line of lines) {
    if (line.trim() === '/quit') break;
    running = new AbortController();
    await answer(line.trimEnd(), running.signal).catch((error) => write(`${style.error(sentenceOf(error))}\n`));
    running = null;
    if (interactive) lines.prompt();
  }
  process.off('SIGINT', interrupt);
  lines.close();
}

function styleOf(interactive: boolean): Style {
  const colours = pc.createColors(interactive && pc.isColorSupported);
  return { answer: colours.cyan('keepsake> '), note: colours.dim, error: colours.red };
}

/** What a person is told of an error; anything unforeseen is a fault of the program and ends it. */
function sentenceOf(error: unknown): string {
  if (error instanceof KeepsakeError) return error.message;
  throw error;
}
