import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Who may import whom: each room lists the rooms and the packages that it may use. A room that is not here is a fault. */
const ROOMS: Record<string, { rooms: string[]; packages: string[] }> = {
  'bin/': {
    rooms: [
      'app.ts',
      'config.ts',
      'discord/',
      'terminal/',
      'health/',
      'storage/',
      'llm/',
      'logger.ts',
      'words/',
      'conversation/',
      'fault.ts',
      'chatbot/',
    ],
    packages: [],
  },
  'app.ts': { rooms: ['chatbot/', 'config.ts', 'llm/', 'storage/', 'logger.ts', 'conversation/'], packages: [] },
  'discord/': {
    rooms: ['chatbot/', 'conversation/', 'words/', 'logger.ts', 'fault.ts'],
    packages: ['discord.js', '@resvg/resvg-js'],
  },
  'terminal/': { rooms: ['chatbot/', 'conversation/', 'words/'], packages: ['picocolors'] },
  'health/': { rooms: ['conversation/', 'logger.ts'], packages: ['prom-client'] },
  'langchain/': { rooms: ['chatbot/', 'memory/', 'conversation/'], packages: ['@langchain/core'] },
  'chatbot/': { rooms: ['conversation/', 'memory/', 'logger.ts', 'fault.ts'], packages: ['p-limit'] },
  'memory/': { rooms: ['conversation/'], packages: [] },
  'storage/': { rooms: ['conversation/', 'fault.ts'], packages: ['drizzle-orm', 'better-sqlite3'] },
  'llm/': { rooms: ['conversation/'], packages: ['@langchain/core', '@langchain/openai', 'js-tiktoken'] },
  'config.ts': { rooms: ['conversation/'], packages: ['zod'] },
  'conversation/': { rooms: [], packages: ['zod', 'fastest-levenshtein'] },
  'words/': { rooms: [], packages: [] },
  'logger.ts': { rooms: [], packages: ['pino'] },
  'fault.ts': { rooms: [], packages: [] },
};

/** `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`; not the word in a text. */
const IMPORT = /(?:^(?:import|export)\s[^'";]*?\bfrom\s+|^import\s+|\bimport\(\s*)'([^']+)'/gmu;

type Source = { path: string; room: string; imports: string[]; text: string };

function sources(): Source[] {
  return (readdirSync(SRC, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? '');
      return { path, room: roomOf(path), imports, text };
    });
}

function roomOf(path: string): string {
  const [first = ''] = path.split('/');
  return path.includes('/') ? `${first}/` : first;
}

/** The room or package that an import leads to; null for Node's own modules and the room itself. */
function target(source: Source, specifier: string): { room?: string; package?: string } {
  if (specifier.startsWith('.')) {
    const path = relative(SRC, resolve(dirname(join(SRC, source.path)), specifier)).replace(/\.js$/u, '.ts');
    return roomOf(path) === source.room ? {} : { room: roomOf(path) };
  }
  if (specifier.startsWith('node:') || specifier.startsWith('#')) return {};
  const parts = specifier.split('/');
  return { package: specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '') };
}

const all = sources();

describe('the house', () => {
  it('has no room that the plan does not know', () => {
    expect([...new Set(all.map((source) => source.room))].filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('lets each room import only what the plan allows', () => {
    const faults = all.flatMap((source) =>
      source.imports.flatMap((specifier) => {
        const allowed = ROOMS[source.room];
        const { room, package: used } = target(source, specifier);
        const wrongRoom = room !== undefined && !allowed?.rooms.includes(room);
        const wrongPackage = used !== undefined && !allowed?.packages.includes(used);
        return wrongRoom || wrongPackage ? [`${source.path} imports ${specifier}`] : [];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('has no circle of imports', () => {
    const graph = new Map(
      all.map((source) => [
        source.path,
        source.imports
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) =>
            relative(SRC, resolve(dirname(join(SRC, source.path)), specifier)).replace(/\.js$/u, '.ts'),
          ),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: string[]) => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' > '));
      if (done.has(path) || trail.includes(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('decides memory without waiting for anything', () => {
    const waiting = all.filter(
      (source) => source.room === 'memory/' && /\bawait\b|\basync\b|Promise</u.test(source.text),
    );
    expect(waiting.map((source) => source.path)).toEqual([]);
  });

  it('keeps SQL, HTTP and Discord in their own rooms', () => {
    const reads = all.filter(
      (source) => /process\.env/u.test(source.text) && !['bin/', 'config.ts'].includes(source.room),
    );
    expect(reads.map((source) => source.path)).toEqual([]);
  });

  it('exports by name and says of every exported name what it promises', () => {
    const bare = all.flatMap((source) => {
      const lines = source.text.split('\n');
      return lines.flatMap((line, i) => {
        const exported = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|type|interface) (\w+)/u.exec(
          line,
        );
        const documented = /\*\/\s*$/u.test(lines[i - 1] ?? '');
        return exported !== null && !documented ? [`${source.path}: ${exported[1]}`] : [];
      });
    });
    expect(bare).toEqual([]);
    expect(all.filter((source) => /^export default/mu.test(source.text)).map((source) => source.path)).toEqual([]);
  });

  it('keeps files small', () => {
    const lengths = all.map((source) => ({ path: source.path, lines: source.text.split('\n').length - 1 }));
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(lengths.filter(({ path, lines }) => lines > 400 && !path.startsWith('words/'))).toEqual([]);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(200);
  });
});
