import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandSpec, commandName, commandTable, type OptionSpec } from '../src/chatbot/commands.js';
import { configKeys, configSchema } from '../src/config.js';
import { fileTree } from './support/file-tree.js';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const readme = read('README.md');
const commands = read('docs/commands.md');
const settingsPage = read('docs/settings.md');
const architecture = read('ARCHITECTURE.md');
const packageJson = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

/** Defaults that are decided behind the schema, because they depend on what else is set. */
const DECIDED_LATER: Record<string, string> = { OPENAI_MODEL: 'gpt-4o-mini', LOG_LEVEL: 'info' };

/** Every setting with its default as documents write it; empty when there is none. */
function settings(): [key: string, fallback: string][] {
  const defaults = configSchema.parse({}) as Record<string, unknown>;
  return configKeys.map((key) => {
    const value = DECIDED_LATER[key] ?? defaults[key] ?? '';
    return [key, typeof value === 'boolean' ? String(Number(value)) : String(value)];
  });
}

/** The cells of the rows of a table, from the heading that it stands under. */
function table(text: string, heading: string): string[][] {
  const section = `\n${text}`.split(`\n${heading}\n`)[1]?.split(/\n##? /u)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.slice(2, -2).split(' | '));
}

const code = (cell: string | undefined) => cell?.replaceAll('`', '') ?? '';

describe('.env.example', () => {
  it('names every setting with its default, and nothing else', () => {
    const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gmu)].map(([, key, value]) => [key, value]);
    expect(named.sort()).toEqual(settings().sort());
  });
});

describe('docs/settings.md', () => {
  it('has every setting with its default in its table, and nothing else', () => {
    const rows = table(settingsPage, '# Settings').map(([key, value]) => [code(key), value === '–' ? '' : value]);
    expect(rows.sort()).toEqual(settings().sort());
  });
});

describe('docs/commands.md', () => {
  it('has every command with its options and platforms in its table, and nothing else', () => {
    const usage = (option: OptionSpec) => (option.required === true ? option.name : `[${option.name}]`);
    const platforms = { discord: 'Discord', terminal: 'terminal' };
    const rows = (commandTable as readonly CommandSpec[]).map((spec) => [
      [`/${commandName(spec)}`, ...spec.options.map(usage)].join(' '),
      spec.platforms.map((platform) => platforms[platform]).join(', '),
    ]);
    const documented = table(commands, '# Commands').map(([command, , where]) => [code(command), where]);
    expect(documented).toEqual([...rows, ['/quit', 'terminal']]);
  });

  it('names for every command on Discord a right that it explains, or none', () => {
    const explained = [...commands.matchAll(/^- `(\w+)`: .*\*(?:Manage|View)/gmu)].map(([, right]) => right ?? '');
    const named = table(commands, '# Commands').map(([, , , right]) => /`(\w+)`/u.exec(right ?? '')?.[1] ?? right);
    expect([...new Set(named)].sort()).toEqual([...explained, '–'].sort());
  });
});

describe('README', () => {
  it('names the strategies that there are', () => {
    const named = table(readme, '## How memory works').map(([name]) => /`([a-z-]+)`/u.exec(name ?? '')?.[1]);
    const strategies = commandTable.filter(({ path }) => path[1] === 'strategy').map(({ path }) => path[2]);
    expect(named).toEqual(strategies.filter((name) => name !== 'inherit'));
  });
});

describe('ARCHITECTURE', () => {
  it('lists the files of src as they are', () => {
    const [, before = '', listed = '', after = ''] =
      /^(.*<!-- files[^\n]*-->\n\n```text\n)(.*?)(```\n\n<!-- \/files -->.*)$/su.exec(architecture) ?? [];
    const tree = `${fileTree(join(ROOT, 'src'))}\n`;
    if (process.env.UPDATE_DOCUMENTS !== undefined)
      writeFileSync(join(ROOT, 'ARCHITECTURE.md'), `${before}${tree}${after}`);
    else expect(listed).toBe(tree);
  });

  it('sends readers to files that there are', () => {
    const paths = table(architecture, '## Where to begin reading').flatMap(([, files = '']) =>
      code(files).split(' · '),
    );
    expect(paths.filter((path) => !existsSync(join(ROOT, 'src', `${path}.ts`)))).toEqual([]);
    expect(paths.length).toBeGreaterThan(30);
  });

  it('has at most 200 lines', () => {
    expect(architecture.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  it('has a row for each room', () => {
    const rooms = table(architecture, '## The house').map(([, room]) => code(room));
    const found =
      fileTree(join(ROOT, 'src'))
        .split('\n')[0]
        ?.split(/\s+/u)
        .slice(1)
        .map((file) => `${file}.ts`) ?? [];
    const folders = [...fileTree(join(ROOT, 'src')).matchAll(/^src\/([a-z]+)\/ /gmu)].map(([, name]) => `${name}/`);
    expect(rooms.sort()).toEqual([...found, ...folders].sort());
  });

  it('says of every package why it is there', () => {
    const rows = table(architecture, '## Packages, and why each is there').map(([name]) => code(name));
    expect(rows.sort()).toEqual(Object.keys(packageJson.dependencies ?? {}).sort());
    const missing = Object.keys(packageJson.devDependencies ?? {}).filter(
      (name) => !architecture.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});

describe.each([
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/commands.md',
  'docs/settings.md',
  'docs/running.md',
  'docs/performance.md',
])('%s', (document) => {
  const text = read(document);

  it('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/gu)].map(([, target]) => target ?? '');
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const scripts = [...text.matchAll(/\bnpm (?:run (?:--silent )?([a-z]+)|(start|test)\b)/gu)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect([...new Set(scripts)].filter((script) => packageJson.scripts?.[script] === undefined)).toEqual([]);
  });

  it('names files that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|bench|examples|migrations)\/[\w./-]*)`/gu)].map(
      ([, path]) => path ?? '',
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
