import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../support/folder.js';
import { type Ending, startProgram } from '../support/program.js';
import { chat, startChat } from './terminal.js';

const DATABASE = { DATABASE_URL: 'file:./keepsake.db' };

/** Runs a command for the owner in a folder. */
function command(folder: string, name: string, ...args: string[]): Promise<Ending> {
  return startProgram({ bin: name, folder, args, env: DATABASE }).ended;
}

/** A folder with a database in which somebody has talked in the session `work`. */
async function aTalk(...lines: string[]): Promise<string> {
  const folder = aFolder();
  await chat(lines, { folder, env: DATABASE, args: ['--session', 'work'] });
  return folder;
}

const backupsIn = (folder: string) => readdirSync(join(folder, 'backups')).map((name) => join(folder, 'backups', name));

describe('npm run backup and npm run restore', () => {
  it('bring a memory back that was lost, and a backup may be made while the program runs', async () => {
    const folder = await aTalk('the code is 4711');
    const running = startChat({ folder, env: DATABASE, args: ['--session', 'work'] });
    await running.says('Session "work"');
    const made = await command(folder, 'backup');
    expect([made.code, made.errors]).toEqual([0, '']);
    expect(made.out).toMatch(
      /^Backed up to .*\.db \(0\.\d MB; 2 messages in 1 conversation\)\. The copy was read again and is whole\.\n$/u,
    );
    const [file = ''] = backupsIn(folder);
    const busy = await command(folder, 'restore', file, '--force');
    expect([busy.code, busy.errors]).toEqual([
      3,
      expect.stringMatching(/^keepsake: Another Keepsake uses this database/u),
    ]);
    await running.end();
    writeFileSync(join(folder, 'keepsake.db'), 'overwritten by mistake');
    const missing = await command(folder, 'restore', 'nope');
    expect([missing.code, missing.errors]).toEqual([3, expect.stringContaining('The backup does not exist')]);
    const refused = await command(folder, 'restore', file);
    expect([refused.code, refused.errors]).toEqual([3, expect.stringContaining('--force')]);
    const restored = await command(folder, 'restore', file, '--force');
    expect([restored.code, restored.errors]).toEqual([0, '']);
    expect(restored.out).toContain('Restored: 2 messages in 1 conversation.');
    expect(restored.out).toContain('may be back');
    const kept = readdirSync(folder).find((name) => name.startsWith('keepsake.db.replaced-')) ?? '';
    expect(readFileSync(join(folder, kept), 'utf8')).toBe('overwritten by mistake');
    expect((await chat(['what is the code?'], { folder, env: DATABASE, args: ['--session', 'work'] })).out).toContain(
      '4711',
    );
  });

  it('do not bring back what was forgotten meanwhile', async () => {
    const folder = await aTalk('the code is 4711');
    await command(folder, 'backup', '--to', 'elsewhere');
    const [file = ''] = readdirSync(join(folder, 'elsewhere'));
    await chat(['/memory forget what:session'], { folder, env: DATABASE, args: ['--session', 'work'] });
    const restored = await command(folder, 'restore', join('elsewhere', file), '--force');
    expect(restored.out).toContain('Since the backup: 2 erased, 0 edited');
    expect((await command(folder, 'export', '--session', 'terminal:work')).out).not.toContain('4711');
  });
});

describe('npm run export and npm run import', () => {
  it('move a memory to another host, also while the program runs on the first', async () => {
    const from = await aTalk('the code is 4711', '/memory strategy window k:6');
    const running = startChat({ folder: from, env: DATABASE });
    await running.says('Session');
    const listed = await command(from, 'export', '--list');
    expect(listed.out).toBe('terminal:work\n');
    const exported = await command(from, 'export', '--session', 'work');
    expect((await command(from, 'export', '--session', 'terminal:work')).out).toContain('the code is 4711');
    expect([exported.code, exported.errors]).toEqual([0, '']);
    await running.end();
    const to = aFolder();
    writeFileSync(join(to, 'memory.jsonl'), exported.out);
    const imported = await command(to, 'import', '--session', 'home', 'memory.jsonl');
    expect([imported.code, imported.errors]).toEqual([0, '']);
    expect(imported.out).toContain(
      'Imported: 2 messages and 0 summaries.\nIt was remembered with: window k:6 unit:messages.',
    );
    expect(statSync(join(to, 'keepsake.db')).mode & 0o777).toBe(0o600);
    const again = await command(to, 'import', '--session', 'terminal:home', 'memory.jsonl');
    expect([again.code, again.errors]).toEqual([1, expect.stringContaining('never overwrites')]);
    const asked = await chat(['what is the code?'], { folder: to, env: DATABASE, args: ['--session', 'home'] });
    expect(asked.out).toContain('4711');
    const page = await command(to, 'export', '--session', 'terminal:home', '--markdown');
    expect(page.out).toMatch(/^# Memory of terminal:home\n[\s\S]*\n> the code is 4711\n/u);
  });

  it('name the line of what is wrong with a file, and store nothing', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'bad.jsonl'), '{"keepsake":1}\n');
    const refused = await command(folder, 'import', '--session', 'terminal:x', 'bad.jsonl');
    expect([refused.code, refused.errors.split('\n').length]).toEqual([1, 2]);
    expect(refused.errors).toMatch(/^keepsake: This file was not imported, nothing was changed: line 1: session: /u);
  });
});

describe('a command for the owner', () => {
  it.each(['backup', 'restore', 'export', 'import'])(
    '%s has help, which needs no valid configuration',
    async (name) => {
      const folder = aFolder();
      writeFileSync(join(folder, '.env'), 'RETENTION_DAYS=never\n');
      const { code, out, errors } = await command(folder, name, '--help');
      expect([code, errors]).toEqual([0, '']);
      expect(out).toMatch(new RegExp(`^use: npm run (?:--silent )?${name}\\b`, 'u'));
      expect(readdirSync(folder)).toEqual(['.env']);
    },
  );

  it.each<[string, string[], number, RegExp]>([
    ['backup', [], 3, /There is no database yet/u],
    ['backup', ['--too', 'x'], 2, /--too is not understood; use: npm run backup/u],
    ['backup', ['x'], 2, /takes no file name/u],
    ['restore', [], 2, /takes one file name/u],
    ['restore', ['none.db'], 3, /The backup does not exist/u],
    ['export', [], 2, /use: npm run --silent export/u],
    ['export', ['--session', 'terminal:x'], 3, /There is no database yet/u],
    ['import', ['--session', 'discord:x', 'f'], 2, /--session must be/u],
    ['import', ['--session', 'terminal:x', 'none'], 1, /The file is not there/u],
  ])('%s %j ends with one sentence and an exit code', async (name, args, code, sentence) => {
    const folder = aFolder();
    const ended = await command(folder, name, ...args);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.errors).toMatch(new RegExp(`^keepsake: .*${sentence.source}.*\\n$`, 'u'));
    expect(existsSync(join(folder, 'keepsake.db'))).toBe(false);
  });
});
