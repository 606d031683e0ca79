import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** One import or re-export: where it leads, whether types alone cross it, and the names that it takes. */
export type Import = { specifier: string; typeOnly: boolean; names: string[] };

/** A source file by its path below the root, with `/`. */
export type Source = { path: string; folder: string; text: string; lines: number; imports: Import[] };

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gmu;
const BARE = /^import\s+'([^']+)'/gmu;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/gu;

/** Reads every TypeScript file below a folder. */
export function readSources(root: string): Source[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, folder: folderOf(path), text, lines: text.split('\n').length - 1, imports: importsOf(text) };
    });
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : `${folder}/`;
}

function importsOf(text: string): Import[] {
  const named = [...text.matchAll(STATEMENT)].map(([, type, clause = '', specifier = '']) => {
    const parts = clause.replace(/[{}]/gu, ' ').split(',');
    const names = parts.map((part) => part.trim()).filter((part) => part !== '');
    return {
      specifier,
      typeOnly: type !== undefined || names.every((name) => name.startsWith('type ')),
      names: names.map((name) => name.replace(/^type /u, '').split(/\s+as\s+/u)[0] ?? ''),
    };
  });
  const others = [...text.matchAll(BARE), ...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({
    specifier,
    typeOnly: false,
    names: [],
  }));
  return [...named, ...others];
}

/** The path of the file that a relative import leads to; null for packages and Node's own modules. */
export function targetOf(source: Source, { specifier }: Import): string | null {
  if (!specifier.startsWith('.')) return null;
  return resolve('/', source.folder, specifier).slice(1).replace(/\.js$/u, '.ts');
}

/** The package that an import takes, or null. */
export function packageOf({ specifier }: Import): string | null {
  if (/^(?:\.|node:|#)/u.test(specifier)) return null;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? null);
}

/** Every circle of a graph, once for each way in which it is found, as `a > b > a`. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, trail: string[]) => {
    if (trail.includes(node)) circles.push([...trail.slice(trail.indexOf(node)), node].join(' > '));
    if (done.has(node) || trail.includes(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}
