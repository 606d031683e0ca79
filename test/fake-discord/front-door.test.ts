import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageOf, readSources, targetOf } from '../support/source-graph.js';

const FOLDER = 'test/support/fake-discord/';
const FRONT_DOOR = `${FOLDER}index.ts`;
/** `discord.js` lends its types alone. */
const PACKAGES = ['discord.js', 'ws'];

const root = resolve(import.meta.dirname, '../..');
/** Every TypeScript file of the repository that may know the fake, by its path below the root. */
const sources = ['src', 'test', 'bench', 'docs', 'examples'].flatMap((top) =>
  readSources(resolve(root, top)).map((source) => ({
    ...source,
    path: `${top}/${source.path}`,
    folder: `${top}/${source.folder}`,
  })),
);
const isInside = (path: string) => path.startsWith(FOLDER);
const inside = sources.filter(({ path }) => isInside(path));
const outside = sources.filter(({ path }) => !isInside(path));

describe('the folder of the fake Discord', () => {
  it('is imported by its index alone', () => {
    const past = outside.flatMap((source) =>
      source.imports
        .map((imported) => targetOf(source, imported))
        .filter((target) => target !== null && isInside(target) && target !== FRONT_DOOR)
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(past).toEqual([]);
  });

  it('imports nothing of the project around it', () => {
    const out = inside.flatMap((source) =>
      source.imports
        .filter((imported) => imported.specifier.startsWith('#') || !isInside(targetOf(source, imported) ?? FOLDER))
        .map(({ specifier }) => `${source.path} imports ${specifier}`),
    );
    expect(out).toEqual([]);
  });

  it(`needs only ${PACKAGES.join(' and ')}, the former for its types`, () => {
    const imports = inside.flatMap((source) => source.imports);
    const used = imports.map(packageOf).filter((name) => name !== null);
    expect([...new Set(used)].sort()).toEqual(PACKAGES);
    expect(imports.filter((imported) => packageOf(imported) === 'discord.js' && !imported.typeOnly)).toEqual([]);
  });
});
