import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createApp } from '../app.js';
import type { Config } from '../config.js';
import { ConfigError } from '../conversation/errors.js';
import { createLogger } from '../logger.js';
import { chat } from '../terminal/repl.js';
import { en } from '../words/en.js';
import { startHourlyJobs } from './hourly-jobs.js';
import { EXIT, isSessionName } from './program.js';

const USAGE = 'use: npm run chat -- [--session NAME] [--name YOUR NAME]';

/** The most that leaving waits for folds that run, in milliseconds. */
const FOLD_GRACE_MS = 10_000;

/** Chats in this terminal, in the session that the arguments name. */
export async function runTerminal(config: Config, args: string[]): Promise<void> {
  const { session, author } = parseChatArgs(args);
  const logger = createLogger(config.LOG_LEVEL ?? 'silent');
  const app = await createApp(config, logger);
  console.log(app.connection.notice);
  console.log(`Session "${session}". Type /help for the commands, /quit to leave.`);
  startHourlyJobs({ chatbot: app.chatbot, logger, config });
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const succeeded = await chat(
    app.chatbot,
    { input: process.stdin, output: process.stdout, interactive },
    { session, author, words: en, clock: Date.now },
  );
  // A script that pipes its questions in must learn that one was not answered; a person has read it.
  if (!succeeded && !interactive) process.exitCode = EXIT.failed;
  await app.close(FOLD_GRACE_MS);
}

function parseChatArgs(args: string[]): { session: string; author: string } {
  try {
    const { values } = parseArgs({ args, options: { session: { type: 'string' }, name: { type: 'string' } } });
    const { session = 'default', name = userName() } = values;
    if (!isSessionName(session)) {
      throw new ConfigError([`--session must be 1 to 64 letters, digits, dots, dashes or underscores; ${USAGE}`]);
    }
    const author = name
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, 32);
    return { session, author: author || 'You' };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`these arguments are not known; ${USAGE}`]);
  }
}

function userName(): string {
  const { username } = userInfo();
  return username === 'root' ? 'You' : username;
}
