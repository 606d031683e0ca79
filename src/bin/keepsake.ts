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

const name = process.argv[2] ?? '';
const isNamed = Object.hasOwn(PROGRAMS, name);
// Each program reads its own arguments from the third on.
if (isNamed) process.argv.splice(2, 1);
await PROGRAMS[isNamed ? name : 'start']?.();
