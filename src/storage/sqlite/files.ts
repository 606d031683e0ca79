import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until what a file or folder holds is on the disk, as far as its file system can say. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // Some file systems cannot flush a folder; a rename in it then waits for the system's own flush.
  } finally {
    closeSync(handle);
  }
}

/** A time as part of a file name: `2026-11-30T06-43-29-000Z`. */
export function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[:.]/gu, '-');
}
