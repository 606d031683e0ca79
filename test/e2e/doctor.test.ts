import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeDiscord, startFakeDiscord } from '../support/fake-discord/index.js';
import { type FakeOpenAI, failure, startFakeOpenAI } from '../support/fake-openai/index.js';
import { aFolder } from '../support/folder.js';
import { startProgram } from '../support/program.js';
import { chat } from './terminal.js';

const DATABASE = { DATABASE_URL: 'file:./keepsake.db' };

let discord: FakeDiscord;
let openai: FakeOpenAI;
beforeEach(async () => {
  [discord, openai] = await Promise.all([startFakeDiscord(), startFakeOpenAI()]);
});
afterEach(() => Promise.all([discord.close(), openai.close()]));

/** Runs the doctor in a folder; its lines, and how it ended. */
async function doctor(
  env: Record<string, string>,
  folder = aFolder(),
): Promise<{ code: number | null; lines: string[] }> {
  const { code, out } = await startProgram({ bin: 'doctor', folder, env: { ...DATABASE, ...env } }).ended;
  return { code, lines: out.trim().split('\n') };
}

const withBoth = () => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API: discord.api,
  OPENAI_BASE_URL: openai.baseUrl,
  OPENAI_MODEL: 'fake-model',
});

describe('npm run doctor', () => {
  it('says what is well, a line each, with the invite link', async () => {
    discord.addChannel(discord.addGuild({ name: 'Harbour' }), { name: 'general' });
    const folder = aFolder();
    await chat(['hello'], { folder, env: DATABASE });
    const { code, lines } = await doctor(withBoth(), folder);
    expect(code).toBe(0);
    expect(lines.map((line) => line.slice(0, 15).trimEnd())).toEqual([
      'ok    database',
      'ok    model',
      'ok    token',
      'ok    intents',
      'ok    server',
      'ok    invite',
    ]);
    expect(lines.at(-1)).toContain(`client_id=${discord.applicationId}&scope=bot%20applications.commands&permissions=`);
  });

  it('accepts a database that is still to be made, and refuses an empty file in its place', async () => {
    const folder = aFolder();
    const first = await doctor({}, folder);
    expect([first.code, first.lines[0]]).toEqual([
      0,
      'ok    database  there is none yet; it will be made at the first start',
    ]);
    writeFileSync(join(folder, 'keepsake.db'), '');
    const second = await doctor({}, folder);
    expect([second.code, second.lines[0]]).toEqual([1, expect.stringMatching(/^MEND {2}database {2}.* is empty;/u)]);
  });

  it('names the mend for each fault: database, model, rights of a channel', async () => {
    const guild = discord.addGuild({ name: 'Harbour' });
    discord.addChannel(guild, { name: 'quiet', overwrites: [{ for: guild, deny: ['SendMessages'] }] });
    const folder = aFolder();
    writeFileSync(join(folder, 'keepsake.db'), 'this is no database at all, whatever its name says');
    openai.script(failure(401, { message: 'no' }));
    const { code, lines } = await doctor(withBoth(), folder);
    expect(code).toBe(1);
    const faults = lines.filter((line) => line.startsWith('MEND'));
    expect(faults).toHaveLength(3);
    expect(faults[1]).toContain('OPENAI_API_KEY');
    expect(faults[2]).toBe("MEND  rights    #quiet in Harbour: give the bot's role Send Messages, or invite it anew");
  });

  it.each([
    ['a wrong token', () => ({ DISCORD_TOKEN: 'wrong' }), 'copy the bot token again'],
    ['an intent that is not granted', () => ({}), 'MESSAGE_CONTENT=0'],
    ['an address where no Discord is', () => ({ DISCORD_API: 'http://127.0.0.1:9/api' }), 'DISCORD_API'],
  ])('finds %s', async (what, env, mend) => {
    if (what.includes('intent')) discord.grantIntents([]);
    const { code, lines } = await doctor({ ...withBoth(), ...env() });
    expect(code).toBe(1);
    expect(lines.find((line) => line.startsWith('MEND'))).toContain(mend);
  });

  it('is content with a terminal chat without a model', async () => {
    const { code, lines } = await doctor({});
    expect([code, lines.length]).toEqual([0, 3]);
  });
});
