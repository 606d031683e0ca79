#!/usr/bin/env node
/** The programs of the installed package, by the word after `keepsake`; without one of them the bot or the chat starts. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  start: () => import('./start.js'),
  chat: () => import('./chat.js'),
  doctor: () => import('./doctor.js'),
  backup: () => import('./backup.js'),
  restore: () => import('./restore.js'),
  export: () => import('./export.js'),
  import: () => import('./import.js'),
};

const USAGE = `usage: keepsake [${Object.keys(PROGRAMS).join('|')}] [arguments]; without a command it starts the bot, or the chat when no token is set`;
const CONFIG_ERROR = 2;

const [, , first = 'start'] = process.argv;
const isOption = first.startsWith('-');
const program = PROGRAMS[isOption ? 'start' : first];
if (first === '--help' || first === '-h') console.log(USAGE);
else if (program === undefined || (!isOption && !Object.hasOwn(PROGRAMS, first))) {
  console.error(`keepsake: there is no command ${JSON.stringify(first)}; ${USAGE}`);
  process.exitCode = CONFIG_ERROR;
} else {
  // Each program reads its own arguments from the third on.
  if (!isOption) process.argv.splice(2, 1);
  await program();
}
