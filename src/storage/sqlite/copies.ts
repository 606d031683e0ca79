import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Client } from './database.js';

const KEPT = 2;

/** Copies a database into a new file that only its owner may read; half a copy is never left under that name. */
export function copyDatabase(client: Client, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    client.prepare('VACUUM INTO ?').run(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Names an automatic copy of a database, made at a time in milliseconds since 1970. */
export function copyName(path: string, at: number): string {
  return `${path}.copy-${new Date(at).toISOString().replace(/[:.]/gu, '-')}`;
}

/** The automatic copies of a database, newest first. */
export function listCopies(path: string): string[] {
  const prefix = `${basename(path)}.copy-`;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix) && name.endsWith('Z'));
  return names
    .sort()
    .reverse()
    .map((name) => join(dirname(path), name));
}

/** Deletes all automatic copies but the newest two. */
export function dropOldCopies(path: string): void {
  for (const copy of listCopies(path).slice(KEPT)) rmSync(copy, { force: true });
}
