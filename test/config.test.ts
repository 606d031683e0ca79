import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { ConfigError } from '../src/conversation/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'keepsake-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const noFile = join(folder, 'none');

function faults(env: Record<string, string>, file?: string): string[] {
  const path = file === undefined ? noFile : join(folder, 'env');
  if (file !== undefined) writeFileSync(path, file);
  try {
    readConfig(env, path);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n').map((line) => line.replaceAll(folder, ''));
  }
}

describe('the configuration', () => {
  it('needs nothing at all', () => {
    expect(readConfig({}, noFile).config).toMatchObject({
      DATABASE_URL: 'file:./data/keepsake.db',
      RETENTION_DAYS: 30,
      MAX_ANSWER_TOKENS: 1_000,
      PROBE_LOCAL: true,
      TRACING: 'off',
    });
  });

  it('takes the environment before the file, and blank lines for unset', () => {
    const path = join(folder, 'both');
    writeFileSync(path, 'OPENAI_MODEL=from-file\nRETENTION_DAYS=7\nOPENAI_API_KEY=\n');
    const { config } = readConfig({ OPENAI_MODEL: 'from-env' }, path);
    expect(config).toMatchObject({ OPENAI_MODEL: 'from-env', RETENTION_DAYS: 7 });
    expect(config.OPENAI_API_KEY).toBeUndefined();
  });

  it('names all faults at once', () => {
    const named = faults({
      RETENTION_DAYS: '-1',
      TEMPERATURE: 'hot',
      OPENAI_BASE_URL: 'no url',
      TRACING: 'yes',
      PROBE_LOCAL: 'x',
    });
    expect(named.map((line) => line.split(':')[0]).sort()).toEqual([
      'OPENAI_BASE_URL',
      'PROBE_LOCAL',
      'RETENTION_DAYS',
      'TEMPERATURE',
      'TRACING',
    ]);
  });

  it.each<[Record<string, string>, string]>([
    [{ CONTEXT_WINDOW: '100' }, 'CONTEXT_WINDOW: must be a whole number from 500 to 10000000'],
    [{ MAX_ANSWER_TOKENS: '1.5' }, 'MAX_ANSWER_TOKENS: must be a whole number from 16 to 100000'],
    [{ TEMPERATURE: '3' }, 'TEMPERATURE: must be at most 2'],
    [{ OPENAI_BASE_URL: 'ftp://x' }, 'OPENAI_BASE_URL: must be an http:// or https:// address'],
    [
      { DISCORD_TOKEN: ' ' },
      'DISCORD_TOKEN: is blank; put the bot token in, or remove the line to chat in the terminal',
    ],
    [
      { SUMMARY_PROMPT_FILE: '/nowhere/at/all' },
      'SUMMARY_PROMPT_FILE: cannot be read; give the path of a readable text file',
    ],
  ])('refuses %j with one line that names the mend', (env, line) => {
    expect(faults(env)).toEqual([line]);
  });

  it('never shows the value of a secret', () => {
    const named = faults({ OPENAI_API_KEY: 'sk-very secret', DISCORD_TOKEN: 'tok en' }).join('\n');
    expect(named).toContain('OPENAI_API_KEY');
    expect(named).not.toMatch(/very|secret|tok en/u);
  });

  it('names a probable typing error: a fault in its own file, a warning in the environment', () => {
    expect(faults({}, 'OPENAI_MODL=x')).toEqual(['/env: OPENAI_MODL is not a setting; did you mean OPENAI_MODEL?']);
    expect(readConfig({ RETENTION_DAY: '3' }, noFile).warnings).toEqual([
      'RETENTION_DAY is not a setting; did you mean RETENTION_DAYS?',
    ]);
    expect(readConfig({ HOME: '/root', PATH: '/bin', EDITOR: 'vi' }, noFile).warnings).toEqual([]);
  });
});
