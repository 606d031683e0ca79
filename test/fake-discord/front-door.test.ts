import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf, packageOf, readSources, targetOf } from '../support/source-graph.js';

const FOLDER = 'test/support/fake-discord/';
const FRONT_DOOR = `${FOLDER}index.ts`;
/** From `discord.js` types alone. */
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
  it('is imported through its index alone', () => {
    const bypassing = outside.flatMap((source) =>
      source.imports
        .map((imported) => targetOf(source, imported))
        .filter((target) => target !== null && isInside(target) && target !== FRONT_DOOR)
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(bypassing).toEqual([]);
  });

  it('imports nothing of the project around it', () => {
    const outward = inside.flatMap((source) =>
      source.imports
        .filter((imported) => imported.specifier.startsWith('#') || !isInside(targetOf(source, imported) ?? FOLDER))
        .map(({ specifier }) => `${source.path} imports ${specifier}`),
    );
    expect(outward).toEqual([]);
  });

  it(`needs only ${PACKAGES.join(' and ')}, the former for its types`, () => {
    const imports = inside.flatMap((source) => source.imports);
    const used = imports.map(packageOf).filter((name) => name !== null);
    expect([...new Set(used)].sort()).toEqual(PACKAGES);
    expect(imports.filter((imported) => packageOf(imported) === 'discord.js' && !imported.typeOnly)).toEqual([]);
  });

  it('has layers of folders: no arrow back, types included', () => {
    const graph = new Map<string, string[]>();
    for (const source of inside) {
      const folders = source.imports
        .map((imported) => targetOf(source, imported))
        .filter((target) => target !== null)
        .map((target) => `${dirname(target)}/`)
        .filter((folder) => folder !== source.folder);
      graph.set(source.folder, [...(graph.get(source.folder) ?? []), ...folders]);
    }
    expect(circlesOf(graph)).toEqual([]);
  });
});
