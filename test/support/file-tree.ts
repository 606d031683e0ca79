import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const WIDTH = 120;

/** The folders of `src/` with the files in each, without their `.ts`, as ARCHITECTURE.md shows them. */
export function fileTree(src: string): string {
  return folders(src, '').join('\n');
}

function folders(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => name.slice(0, -3));
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
  return [
    ...wrapped(`src/${folder === '' ? '' : `${folder}/`}`, files.sort()),
    ...below.sort().flatMap((each) => folders(root, each)),
  ];
}

/** A folder's line, continued under its first file. */
function wrapped(folder: string, files: readonly string[]): string[] {
  const lines: string[] = [];
  let line = folder.padEnd(32);
  for (const file of files) {
    if (line.length + file.length + 1 > WIDTH) {
      lines.push(line.trimEnd());
      line = ' '.repeat(32);
    }
    line += ` ${file}`;
  }
  return [...lines, line];
}
