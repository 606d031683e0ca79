import { onTestFinished } from 'vitest';
import { aFolder } from '../support/folder.js';
import { type Ending, type Program, startProgram } from '../support/program.js';

/** How a chat is started; without a folder it gets a new one, so that no `.env` and no database is there. */
export type ChatStart = {
  bin?: 'start' | 'chat';
  args?: string[];
  env?: Record<string, string>;
  folder?: string;
};

/** Starts what `npm start` or `npm run chat` starts, as Ada; it is killed when the test ends. */
export function startChat({ bin = 'chat', args = [], folder = aFolder(), env = {} }: ChatStart = {}): Program {
  const program = startProgram({ bin, args: ['--name', 'Ada', ...args], folder, env });
  onTestFinished(async () => {
    program.signal('SIGKILL');
    await program.ended;
  });
  return program;
}

/** Types all lines into a chat, ends the input and waits for the end. */
export async function chat(lines: readonly string[], start: ChatStart = {}): Promise<Ending> {
  const program = startChat(start);
  program.type(...lines);
  return await program.end();
}

/** The answers of the offline model in an output, without its label. */
export function answersIn(out: string): string[] {
  const label = '[offline model: no language model is connected; quoting memory]';
  return out
    .split('keepsake> ')
    .slice(1)
    .map((answer) => answer.replace(`${label}\n`, '').trimEnd());
}
