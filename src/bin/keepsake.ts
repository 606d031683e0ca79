#!/usr/bin/env node
import { EXIT } from './program.js';

/** The programs of the installed package, by the word after `keepsake`; without one of them the bot or the chat starts. */
const PROGRAMS = new Map<string, () => Promise<unknown>>(
  Object.entries({
    start: () => import('./start.js'),
    chat: () => import('./chat.js'),
    doctor: () => import('./doctor.js'),
    backup: () => import('./backup.js'),
    restore: () => import('./restore.js'),
    export: () => import('./export.js'),
    import: () => import('./import.js'),
  }),
);

const USAGE = `usage: keepsake [${[...PROGRAMS.keys()].join('|')}] [arguments]; without a command it starts the bot, or the chat when no token is set`;

const [, , first = 'start'] = process.argv;
const program = PROGRAMS.get(first.startsWith('-') ? 'start' : first);
if (first === '--help' || first === '-h') console.log(USAGE);
else if (program === undefined) {
  console.error(`keepsake: there is no command ${JSON.stringify(first)}; ${USAGE}`);
  process.exitCode = EXIT.config;
} else {
  // Each program reads its own arguments from the third on.
  if (PROGRAMS.has(first)) process.argv.splice(2, 1);
  await program();
}
