import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DAY_MS } from '../../conversation/clock.js';
import type { Client } from './database.js';
import { flush, stamp } from './files.js';

const KEPT = 2;

/** Copies a database into a new file that only its owner may read; half a copy is never left under that name. */
export function copyDatabase(client: Client, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    client.prepare('VACUUM INTO ?').run(part);
    flush(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Names an automatic copy of a database, made at a time in milliseconds since 1970. */
export function copyName(path: string, at: number): string {
  return `${path}.copy-${stamp(at)}`;
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

/**
 * Deletes the automatic copies of a database but the newest two, and those that are older than a number of days, since
 * they hold what was deleted meanwhile.
 */
export function dropOldCopies(path: string, days: number, now: number): void {
  const oldest = copyName(path, now - days * DAY_MS);
  for (const [i, copy] of listCopies(path).entries()) {
    if (i >= KEPT || copy < oldest) rmSync(copy, { force: true });
  }
}
