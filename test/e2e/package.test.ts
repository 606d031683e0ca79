import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ending, startProgram } from '../support/program.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const run = promisify(execFile);
const DATABASE = { DATABASE_URL: 'file:./data/keepsake.db' };

let folder: string;
const installed = (path: string) => join(folder, 'node_modules', path);

/** The packages of a `node_modules` folder, scopes opened. */
function packagesIn(modules: string): string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    );
}

/** Unpacks what `npm pack` packs into the `node_modules` of an empty folder; the other packages are linked there. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-package-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: ROOT, shell: process.platform === 'win32' });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  for (const name of packagesIn(MODULES)) {
    mkdirSync(dirname(installed(name)), { recursive: true });
    symlinkSync(join(MODULES, name), installed(name), 'junction');
  }
  mkdirSync(installed('keepsake'));
  await run('tar', ['-xzf', join(folder, filename), '-C', installed('keepsake'), '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the installed `keepsake` with lines on its standard input; resolves however it ends. */
function keepsake(args: string[], lines = ''): Promise<Ending> {
  const { bin } = JSON.parse(readFileSync(join(installed('keepsake'), 'package.json'), 'utf8')) as {
    bin: { keepsake: string };
  };
  const program = startProgram({ bin: join(installed('keepsake'), bin.keepsake), folder, args, env: DATABASE });
  program.child.stdin.write(lines);
  return program.end();
}

describe('the packed package', () => {
  it('holds what runs, and neither sources nor tests nor data', () => {
    const top = readdirSync(installed('keepsake')).sort();
    expect(top).toEqual(
      ['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'migrations', 'package.json'].sort(),
    );
  });

  it.each([
    [
      'keepsake',
      [
        'KeepsakeError',
        'SessionMessageHistory',
        'createSessionMemory',
        'createSummaryModel',
        'mergeSystemMessages',
        'modelByName',
        'withSessionMemory',
      ],
    ],
    ['keepsake/store', ['databasePath', 'dropExpiredCopies', 'openStore']],
    ['keepsake/tokens', ['createTokenCounter']],
  ])('exports these names as %s', async (subpath, names) => {
    const script = `import('${subpath}').then((names) => console.log(JSON.stringify(Object.keys(names).sort())))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(names);
  });

  it('has types for a strict program, and none of them is any', async () => {
    cpSync(join(import.meta.dirname, 'package-consumer.txt'), join(folder, 'consumer.ts'));
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      module: 'nodenext',
      target: 'es2023',
      types: [],
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    const compiled = await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');
  });

  it('chats by its command, and remembers at the next start', async () => {
    const first = await keepsake(['--name', 'Ada'], 'My boat is called Mimi.\n');
    expect(first).toMatchObject({ code: 0, errors: '' });
    const second = await keepsake(['chat', '--name', 'Ada'], 'What is my boat called?\n');
    expect(second.out).toContain('> Ada: My boat is called Mimi.');
    expect(second).toMatchObject({ code: 0, errors: '' });
  });

  it.each(['bacup', 'constructor'])(
    'starts nothing for the unknown command %s, and lists those that there are',
    async (name) => {
      const { code, errors } = await keepsake([name]);
      expect(errors).toMatch(
        new RegExp(`^keepsake: there is no command "${name}"; usage: keepsake \\[start\\|chat\\|.*\\n$`, 'u'),
      );
      expect(code).toBe(2);
    },
  );

  it('lists its commands with --help', async () => {
    expect((await keepsake(['--help'])).out).toMatch(/^usage: keepsake \[start\|chat\|doctor/u);
  });

  it('runs the commands of the owner by their names', async () => {
    await keepsake(['--name', 'Ada'], 'hello\n');
    expect((await keepsake(['backup'])).out).toMatch(/^Backed up to .* The copy was read again and is whole\.\n$/u);
    expect((await keepsake(['doctor'])).out).toContain('ok    database');
    expect((await keepsake(['export', '--list'])).out).toBe('terminal:default\n');
  });
});

describe('where the native module was not built', () => {
  beforeAll(async () => {
    await keepsake(['--name', 'Ada'], 'hello\n');
    writeFileSync(join(folder, 'talk.txt'), 'Ada: hello\n');
    rmSync(installed('better-sqlite3'), { recursive: true, force: true });
    const isBuilt = (path: string) => path.endsWith('.node');
    cpSync(join(MODULES, 'better-sqlite3'), installed('better-sqlite3'), {
      recursive: true,
      dereference: true,
      filter: (path) => !isBuilt(path) && !path.includes(join('better-sqlite3', 'deps')),
    });
  });

  afterAll(() => {
    rmSync(installed('better-sqlite3'), { recursive: true, force: true });
    symlinkSync(join(MODULES, 'better-sqlite3'), installed('better-sqlite3'), 'junction');
  });

  it.each([
    ['chat', ['chat']],
    ['import', ['import', '--session', 'work', 'talk.txt']],
    ['backup', ['backup']],
  ])('%s ends with one line that says what to run', async (_, args) => {
    const { code, errors } = await keepsake(args);
    expect(errors).toMatch(/^keepsake: The native module .* npm rebuild better-sqlite3.*\n$/u);
    expect(code).toBe(3);
  });
});
