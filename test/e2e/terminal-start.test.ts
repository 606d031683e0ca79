import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../support/folder.js';
import { answersIn, chat, startChat } from './terminal.js';

describe('npm start', () => {
  it('chats in the terminal when nothing is configured, and says in one line why', async () => {
    const folder = aFolder();
    const { code, out, errors } = await chat(['My boat is called Mimi.', '/quit'], { bin: 'start', folder });
    expect([code, errors]).toEqual([0, '']);
    expect(out.split('\n').slice(0, 3)).toEqual([
      'No DISCORD_TOKEN is set, so Keepsake chats here in the terminal.',
      'No language model is connected, so answers are quotes from memory: set OPENAI_API_KEY or OPENAI_BASE_URL, or start Ollama.',
      'Session "default". Type /help for the commands, /quit to leave.',
    ]);
    expect(answersIn(out)).toEqual(['Noted: My boat is called Mimi.']);
    expect(statSync(join(folder, 'data/keepsake.db')).mode & 0o077).toBe(0);
  });

  it.each([
    ['is blank', ' ', 'is blank'],
    ['cannot be one', 'a token', 'must not contain spaces'],
  ])('refuses in one line when the token %s, and touches nothing', async (_, token, why) => {
    const folder = aFolder();
    const { code, out, errors } = await chat([], { bin: 'start', folder, env: { DISCORD_TOKEN: token } });
    expect([code, out]).toEqual([2, '']);
    expect(errors).toMatch(new RegExp(`^keepsake: DISCORD_TOKEN: ${why}[^\n]*\n$`, 'u'));
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('names all that is wrong with the environment at once, without a value', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, '.env'), 'OPENAI_MODELL=gpt-4o\nRETENTION_DAYS=soon\n');
    const env = {
      OPENAI_BASE_URL: 'localhost secret',
      OPENAI_API_KEY: 'sk secret',
      TEMPERATURE: '3',
      PROBE_LOCAL: 'yes',
      MAX_ANSWER_TOKENS: '1.5',
      CONTEXT_WINDOW: '12',
      TRACING: 'on',
      LOG_LEVEL: 'loud',
      SUMMARY_PROMPT_FILE: 'missing.txt',
    };
    const { code, out, errors } = await chat([], { folder, env });
    expect([code, out]).toEqual([2, '']);
    const named = errors
      .trimEnd()
      .split('\n')
      .map((line) => /^keepsake: (?:\.env: )?([A-Z_]+)/u.exec(line)?.[1]);
    expect(named.sort()).toEqual(['OPENAI_MODELL', 'RETENTION_DAYS', ...Object.keys(env)].sort());
    expect(errors).not.toContain('secret');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('warns of a variable that is probably a typing error, and starts', async () => {
    const { code, errors } = await chat([], { env: { OPENAI_API_KEi: 'x' } });
    expect([code, errors]).toEqual([0, 'warning: OPENAI_API_KEi is not a setting; did you mean OPENAI_API_KEY?\n']);
  });
});

describe('npm run chat', () => {
  it('keeps named sessions apart', async () => {
    const folder = aFolder();
    await chat(['My code word is Heron.'], { folder, args: ['--session', 'work'] });
    const home = await chat(['What is my code word?'], { folder, args: ['--session', 'home'] });
    const work = await chat(['What is my code word?'], { folder, args: ['--session', 'work'] });
    expect(answersIn(home.out)).toEqual(['Nothing in what I was given is about that.']);
    expect(answersIn(work.out)).toEqual(['> Ada: My code word is Heron. (message)']);
  });

  it.each([[['--session', '../x']], [['--sesion', 'x']], [['what']]])(
    'refuses the arguments %j with its usage',
    async (args) => {
      const { code, out, errors } = await chat([], { args });
      expect([code, out]).toEqual([2, '']);
      expect(errors).toMatch(/^keepsake: [^\n]*use: npm run chat -- \[--session NAME\][^\n]*\n$/u);
    },
  );

  it('refuses a database that another process uses, in one line, and leaves that one alone', async () => {
    const folder = aFolder();
    const first = startChat({ folder });
    await first.says('Session "default"');
    const second = await chat(['hello'], { folder });
    expect([second.code, second.out]).toEqual([3, '']);
    expect(second.errors).toMatch(/^keepsake: Another Keepsake uses this database[^\n]*\n$/u);
    first.type('My boat is called Mimi.', 'What is my boat called?');
    expect(answersIn((await first.end()).out).at(-1)).toBe('> Ada: My boat is called Mimi. (message)');
  });

  it('refuses a database file that is none, and does not touch it', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/keepsake.db'), 'my diary, not a database');
    const { code, errors } = await chat(['hello'], { folder });
    expect([code, errors.split('\n')]).toEqual([3, [expect.stringMatching(/^keepsake: /u), '']]);
    expect(statSync(join(folder, 'data/keepsake.db')).size).toBe(24);
  });
});
