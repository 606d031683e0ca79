import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf, type Import, packageOf, readSources, type Source, targetOf } from './support/source-graph.js';

/** Who may import whom: each room lists the rooms and the packages that it may use. A room that is not here is a fault. */
const ROOMS: Record<string, { rooms: string[]; packages: string[] }> = {
  'bin/': {
    rooms: [
      'app.ts',
      'chatbot/',
      'config.ts',
      'conversation/',
      'discord/',
      'fault.ts',
      'health/',
      'llm/',
      'logger.ts',
      'storage/',
      'terminal/',
      'words/',
    ],
    packages: [],
  },
  'app.ts': { rooms: ['chatbot/', 'config.ts', 'conversation/', 'llm/', 'logger.ts', 'storage/'], packages: [] },
  'discord/': {
    rooms: ['chatbot/', 'conversation/', 'fault.ts', 'logger.ts', 'words/'],
    packages: ['discord.js', '@resvg/resvg-js'],
  },
  'terminal/': { rooms: ['chatbot/', 'conversation/', 'words/'], packages: ['picocolors'] },
  'health/': { rooms: ['conversation/', 'logger.ts'], packages: ['prom-client'] },
  'langchain/': { rooms: ['chatbot/', 'conversation/', 'memory/'], packages: ['@langchain/core'] },
  'chatbot/': { rooms: ['conversation/', 'fault.ts', 'logger.ts', 'memory/'], packages: [] },
  'memory/': { rooms: ['conversation/'], packages: [] },
  'storage/': { rooms: ['conversation/', 'fault.ts'], packages: ['better-sqlite3', 'drizzle-orm'] },
  'llm/': { rooms: ['conversation/'], packages: ['@langchain/core', '@langchain/openai', 'js-tiktoken'] },
  'config.ts': { rooms: ['conversation/'], packages: [] },
  'conversation/': { rooms: [], packages: ['fastest-levenshtein'] },
  'words/': { rooms: [], packages: [] },
  'logger.ts': { rooms: [], packages: ['pino'] },
  'fault.ts': { rooms: [], packages: [] },
};

/** Packages that every room may use. */
const SHARED_PACKAGES = ['p-limit', 'zod'];

/** Inside these rooms folders are layers: a file may import from its own and from those that stand behind it. */
const LAYERS: Record<string, string[]> = {
  'discord/': ['discord/', 'discord/commands/', 'discord/messages/', 'discord/answers/', 'discord/shared/'],
  'storage/': ['storage/', 'storage/sqlite/'],
};

const LONGEST_FILE = 400;
/** Message catalogues may be longer: they are one list. */
const CATALOGUES = 'words/';
const FILES_PER_FOLDER = 25;
const SHORT_FILE = 40;

/** What starts a process, or kills one. */
const STARTS_PROCESS =
  /'node:child_process'|\/program\.js'|\/process-world\.js'|\/kill-life\.js'|startFakeDiscordProcess/u;
const TITLE = /^\s*(?:(?:describe|it)(?:\.\w+)?|\]?\))\(\s*(['`])(.*?)\1,/gmu;
const LONGEST_TITLE = 90;

const all = readSources(resolve(import.meta.dirname, '../src'));
const byPath = new Map(all.map((source) => [source.path, source]));

function roomOf(path: string): string {
  const [first = ''] = path.split('/');
  return path.includes('/') ? `${first}/` : first;
}

/** The files that a file imports; `types` counts those too that it takes nothing but types from. */
function targets(source: Source, { types }: { types: boolean }): string[] {
  return source.imports
    .filter((each) => types || !each.typeOnly)
    .map((each) => targetOf(source, each))
    .filter((path) => path !== null);
}

/** All imports that a rule forbids, as `a.ts imports b`. */
function forbidden(rule: (source: Source, imported: Import) => boolean): string[] {
  return all.flatMap((source) =>
    source.imports
      .filter((imported) => rule(source, imported))
      .map(({ specifier }) => `${source.path} imports ${specifier}`),
  );
}

/** Files outside of these rooms whose code, comments left out, matches. */
function outside(rooms: string[], pattern: RegExp): string[] {
  return all
    .filter(({ path }) => !rooms.some((room) => path.startsWith(room)))
    .filter(({ text }) => pattern.test(text.replace(/\/\*.*?\*\/|\/\/[^\n]*/gsu, '')))
    .map(({ path }) => path);
}

describe('the house', () => {
  it('has no room that the plan does not know', () => {
    expect([...new Set(all.map(({ path }) => roomOf(path)))].filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('lets each room import only the rooms that the plan allows', () => {
    const faults = forbidden((source, imported) => {
      const target = targetOf(source, imported);
      if (target === null || roomOf(target) === roomOf(source.path)) return false;
      return !ROOMS[roomOf(source.path)]?.rooms.includes(roomOf(target));
    });
    expect(faults).toEqual([]);
  });

  it('lets each room import only the packages that the plan allows', () => {
    const faults = forbidden((source, imported) => {
      const used = packageOf(imported);
      return used !== null && ![...SHARED_PACKAGES, ...(ROOMS[roomOf(source.path)]?.packages ?? [])].includes(used);
    });
    expect(faults).toEqual([]);
  });

  it('has no circle of imports; inside a folder types alone may go round', () => {
    expect(circlesOf(new Map(all.map((source) => [source.path, targets(source, { types: false })])))).toEqual([]);
  });

  it('has no arrow back between folders, types included', () => {
    const graph = new Map<string, string[]>();
    for (const source of all) {
      const folders = targets(source, { types: true }).map((path) => byPath.get(path)?.folder || path);
      const from = source.folder || source.path;
      graph.set(from, [...(graph.get(from) ?? []), ...folders.filter((folder) => folder !== from)]);
    }
    expect(circlesOf(graph)).toEqual([]);
  });

  it.each(Object.entries(LAYERS))('has arrows down only among the layers of %s', (room, layers) => {
    const faults = forbidden((source, imported) => {
      const target = targetOf(source, imported);
      if (!source.path.startsWith(room) || target?.startsWith(room) !== true) return false;
      return layers.indexOf(byPath.get(target)?.folder ?? '') < layers.indexOf(source.folder);
    });
    expect(faults).toEqual([]);
    expect(all.filter(({ path, folder }) => path.startsWith(room) && !layers.includes(folder))).toEqual([]);
  });

  it('decides memory without waiting for anything', () => {
    const waiting = all.filter(
      ({ path, text }) => path.startsWith('memory/') && /\bawait\b|\basync\b|Promise</u.test(text),
    );
    expect(waiting.map(({ path }) => path)).toEqual([]);
  });

  it('reads the environment in bin/ and config.ts alone', () => {
    expect(outside(['bin/', 'config.ts'], /process\.env/u)).toEqual([]);
  });

  it('keeps SQL in storage/', () => {
    expect(outside(['storage/'], /['"`](?:SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|CREATE TABLE)\s/iu)).toEqual([]);
  });

  it('keeps HTTP in llm/, health/ and what downloads an attachment', () => {
    const talksHttp = /(?<![.\w])fetch\(|from 'node:https?'/u;
    expect(outside(['llm/', 'health/', 'discord/shared/content.ts'], talksHttp)).toEqual([]);
  });

  it('exports by name', () => {
    expect(all.filter(({ text }) => /^export default/mu.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('says of every name that crosses a folder what it promises', () => {
    const crossing = new Map<string, Set<string>>();
    for (const source of all) {
      for (const imported of source.imports) {
        const target = byPath.get(targetOf(source, imported) ?? '');
        if (target === undefined || target.folder === source.folder) continue;
        crossing.set(target.path, new Set([...(crossing.get(target.path) ?? []), ...imported.names]));
      }
    }
    const bare = [...crossing].flatMap(([path, names]) => {
      const lines = byPath.get(path)?.text.split('\n') ?? [];
      return lines.flatMap((line, i) => {
        const [, name = ''] =
          /^export (?:async |abstract )?(?:function\*?|class|const|type|interface) (\w+)/u.exec(line) ?? [];
        return names.has(name) && !/\*\/\s*$/u.test(lines[i - 1] ?? '') ? [`${path}: ${name}`] : [];
      });
    });
    expect(bare).toEqual([]);
  });

  it('has no name that says nothing', () => {
    const empty = /(?:manager|service|helper|util)s?\b/iu;
    const declared = /^export (?:async |abstract )?(?:function\*?|class|const|type|interface) (\w+)/gmu;
    const names = all.flatMap(({ path, text }) => [path, ...[...text.matchAll(declared)].map(([, name = '']) => name)]);
    expect(names.filter((name) => empty.test(name.replace(/([a-z])([A-Z])/gu, '$1 $2')))).toEqual([]);
  });
});

describe('a file', () => {
  it(`has at most ${LONGEST_FILE} lines, catalogues excepted`, () => {
    const long = all.filter(({ path, lines }) => lines > LONGEST_FILE && !path.startsWith(CATALOGUES));
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  it(`of fewer than ${SHORT_FILE} lines has more than one importer`, () => {
    const importers = new Map<string, Set<string>>();
    for (const source of all) {
      for (const path of targets(source, { types: true })) {
        importers.set(path, (importers.get(path) ?? new Set()).add(source.path));
      }
    }
    // Those in bin/ are programs: they are started by their path, and imported by the `keepsake` command.
    const fragments = all.filter(
      ({ path, folder, lines }) => folder !== 'bin/' && lines < SHORT_FILE && importers.get(path)?.size === 1,
    );
    expect(fragments.map(({ path }) => path)).toEqual([]);
  });
});

describe('a folder', () => {
  it(`has at most ${FILES_PER_FOLDER} files`, () => {
    const counts = new Map<string, number>();
    for (const { folder } of all) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    expect([...counts].filter(([, files]) => files > FILES_PER_FOLDER)).toEqual([]);
  });
});

describe('a test', () => {
  const tests = readSources(import.meta.dirname).filter(({ path }) => path.endsWith('.test.ts'));

  it('starts processes in e2e/ alone, so that the others are fast', () => {
    const starting = tests.filter(({ path, text }) => STARTS_PROCESS.test(text) && path !== 'architecture.test.ts');
    expect(starting.map(({ path }) => path).filter((path) => !path.startsWith('e2e/'))).toEqual([]);
    expect(starting.length).toBeGreaterThan(9);
  });

  it(`has a title of fewer than ${LONGEST_TITLE} characters`, () => {
    const titles = tests.flatMap(({ path, text }) =>
      [...text.matchAll(TITLE)].map(([, , title = '']) => ({ path, title })),
    );
    expect(titles.length).toBeGreaterThan(500);
    expect(titles.filter(({ title }) => title.length >= LONGEST_TITLE)).toEqual([]);
  });
});
