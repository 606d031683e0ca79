import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { StorageError } from '../../src/conversation/errors.js';
import type { Store } from '../../src/conversation/store.js';
import { openStore, type StoreOptions } from '../../src/storage/open.js';
import { MIGRATIONS_FOLDER } from '../../src/storage/sqlite/migrate.js';
import { aFolder } from '../support/folder.js';

/** Opens a store on a file that is closed when the test ends. */
export async function aStore(path: string, options?: StoreOptions): Promise<Store> {
  const store = await openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

/** The path of a database in a new folder, made and closed again. */
export async function aDatabase(options?: StoreOptions): Promise<string> {
  const path = join(aFolder(), 'keepsake.db');
  await (await openStore(path, options)).close();
  return path;
}

/** How an opening was refused: the code, and the one sentence for the reader. */
export async function refusal(opening: Promise<Store> | (() => unknown)): Promise<[string, string]> {
  try {
    const store = await (typeof opening === 'function' ? opening() : opening);
    await (store as Store).close();
  } catch (error) {
    if (error instanceof StorageError) return [error.code, error.message];
    throw error;
  }
  throw new Error('nothing was refused');
}

/** A copy of the shipped migrations that a test may tamper with. */
export function someMigrations(): string {
  const folder = join(aFolder(), 'migrations');
  cpSync(MIGRATIONS_FOLDER, folder, { recursive: true });
  return folder;
}

type Journal = { entries: { tag: string; when: number }[] };

function readJournal(folder: string): Journal {
  return JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as Journal;
}

/** The names of the shipped migrations, oldest first. */
export function shippedTags(): string[] {
  return readJournal(MIGRATIONS_FOLDER).entries.map(({ tag }) => tag);
}

/** The first migrations alone, as the program of their time shipped them. */
export function firstMigrations(count: number): string {
  const folder = someMigrations();
  const journal = readJournal(folder);
  const shorter = { ...journal, entries: journal.entries.slice(0, count) };
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(shorter));
  return folder;
}

/** Adds a migration, by default after all others; statements are separated by the marker that drizzle-kit writes. */
export function addMigration(folder: string, tag: string, statements: readonly string[], when?: number): void {
  const journal = readJournal(folder);
  const last = Math.max(...journal.entries.map((entry) => entry.when));
  journal.entries.push({
    idx: journal.entries.length,
    version: '6',
    tag,
    breakpoints: true,
    when: when ?? last + 1,
  } as never);
  journal.entries.sort((a, b) => a.when - b.when);
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
  writeFileSync(join(folder, `${tag}.sql`), statements.join('\n--> statement-breakpoint\n'));
}
