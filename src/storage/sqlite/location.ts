import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StorageError } from '../../conversation/errors.js';

/** The name of a database that lives in memory and ends with its connection. */
export const IN_MEMORY = ':memory:';

/**
 * The file that a `DATABASE_URL` means: a path, a `file:` URL (relative ones count from the working folder), or
 * `:memory:`. Links are followed, so that two names of one file share one lock.
 * @throws {StorageError} for any other kind of URL, which is not repeated since it may hold a password.
 */
export function locate(url: string): string {
  const path = withoutScheme(url);
  if (path === IN_MEMORY) return path;
  if (path === '') throw new StorageError('no-folder', 'DATABASE_URL is empty; set it to the path of a file.');
  const full = resolve(path);
  return real(full) ?? join(real(dirname(full)) ?? dirname(full), basename(full));
}

function withoutScheme(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url.replace(/[?#].*$/u, ''));
  if (url.startsWith('file:')) return decodeURIComponent(url.slice('file:'.length).replace(/[?#].*$/u, ''));
  if (/^[a-z][a-z+]+:\/\//iu.test(url)) {
    throw new StorageError('storage', 'DATABASE_URL names another kind of database; set it to the path of a file.');
  }
  return url;
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
