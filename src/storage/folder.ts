import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder with its parents, for their owner only. One at a time, since Node's `recursive` never returns where the
 * system denies that a parent exists, as below /proc.
 * @throws {Error} the system's own, when one of them cannot be made.
 */
export function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
