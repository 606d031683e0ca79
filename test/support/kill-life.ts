import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { APIMessage } from 'discord.js';
import { checkPromises, MARK, type TakenBack } from './check-promises.js';
import { type FakeDiscord, type FakeUser, startFakeDiscord } from './fake-discord/index.js';
import { type FakeOpenAI, startFakeOpenAI, stream } from './fake-openai/index.js';
import { type ChatRequest, questionOf, textOf } from './fake-openai/wire.js';
import { botEnvironment } from './options.js';
import { WAIT_MS } from './patience.js';
import { LOGGED_IN, type Program, startProgram } from './program.js';

/** Steps at which the process kills itself, and up to which passage. */
const POINTS: readonly [point: string, passages: number][] = [
  ['session:committed', 1],
  ['append:before-commit', 4],
  ['append:committed', 4],
  ['plan:before-commit', 3],
  ['plan:committed', 3],
  ['reply:before-post', 3],
  ['reply:posted', 3],
  ['confirm:before-commit', 3],
  ['confirm:committed', 3],
  ['turn:before-store', 3],
  ['answer:before-commit', 3],
  ['answer:committed', 3],
  ['turn:stored', 3],
  ['reply:before-edit', 2],
  ['reply:edited', 2],
  ['turn:delivered', 3],
  ['settle:before-commit', 3],
  ['settle:committed', 3],
  ['fold:before-model', 2],
  ['fold:after-model', 2],
  ['summary:before-commit', 2],
  ['summary:committed', 2],
  ['edit:before-commit', 1],
  ['edit:committed', 1],
  ['erase:before-commit', 1],
  ['erase:committed', 1],
  ['catch-up:read', 3],
  ['fact:committed', 2],
];

/** How a life went: what broke, and at which steps it was killed. */
export type KilledLife = { faults: string[]; kills: string[] };

type Spoken = { message: APIMessage; place: number; mark: string; gone: boolean };

type Life = {
  discord: FakeDiscord;
  openai: FakeOpenAI;
  folder: string;
  random: () => number;
  people: FakeUser[];
  places: { id: string }[];
  spoken: Spoken[];
  takenBack: string[];
  marks: number;
  log: string[];
};

/**
 * Lets one bot live through so many kills: each process dies at a step that the seed chooses, while people in four places
 * talk, edit and delete, also while nobody runs. What is left at the end must keep every promise.
 */
export async function liveThroughKills(kills: number, seed: number): Promise<KilledLife> {
  const life = await begin(seed);
  try {
    const done: string[] = [];
    await prime(life);
    for (let i = 0; i < kills; i += 1) done.push(await dieOnce(life));
    return { kills: done, faults: await settle(life) };
  } finally {
    await Promise.all([life.discord.close(), life.openai.close()]);
    rmSync(life.folder, { recursive: true, force: true });
  }
}

async function begin(seed: number): Promise<Life> {
  const discord = await startFakeDiscord({ waitMs: WAIT_MS });
  const random = mulberry32(seed);
  const openai = await startFakeOpenAI({ respond: (request) => respond(request, random) });
  const guild = discord.addGuild();
  const people = ['Ada', 'Ben'].map((name) => discord.addUser({ name }));
  for (const person of people) discord.addMember(guild, person, { permissions: ['ManageGuild'] });
  const room = discord.addChannel(guild);
  const [ada = people[0] as FakeUser] = people;
  const places = [room, discord.addChannel(guild), discord.addThread(room, { owner: ada }), discord.openDm(ada)];
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-kills-'));
  return { discord, openai, folder, random, people, places, spoken: [], takenBack: [], marks: 0, log: [] };
}

/** An answer in one piece or in two, a summary that names the marks that it was given. */
function respond(request: ChatRequest, random: () => number) {
  const texts = request.messages.map(({ content }) => textOf(content));
  if (texts[0]?.startsWith('You keep the memory')) {
    return stream(`Told: ${(texts[1]?.match(MARK) ?? ['nothing']).join(' ')}`, { finish: 'stop' });
  }
  const said = (questionOf(request).match(MARK)?.at(-1) ?? 'nothing').replace(/q$/u, 'r');
  if (random() < 0.7) return stream(`Reply ${said} as asked.`, { finish: 'stop' });
  return stream(`Reply ${said}`, { wait: pause(60) }, ' as asked.', { finish: 'stop' });
}

/** Makes every place known, under a strategy that folds often. */
async function prime(life: Life): Promise<void> {
  const { discord, places, people } = life;
  const bot = await start(life);
  const set = discord.command(people[0] as FakeUser, places[0] as { id: string }, 'memory strategy summary-buffer', {
    max_messages: 6,
    keep_messages: 2,
  });
  await set.reply();
  await Promise.all(places.map((_, place) => discord.replyTo(say(life, place).message)));
  bot.signal('SIGKILL');
  await bot.ended;
}

/** Starts a process that will kill itself, keeps people busy until it has, and gives the order that it died by. */
async function dieOnce(life: Life): Promise<string> {
  const { random } = life;
  const [point, passages] = pick(POINTS, random);
  const order = `${point} kill ${1 + Math.floor(random() * passages)}`;
  // What happens while nobody runs has to be caught up with.
  if (random() < 0.5) act(life, point);
  const bot = launch(life, order);
  let dead = false;
  const ended = bot.ended.then(() => {
    dead = true;
  });
  await Promise.race([bot.says(LOGGED_IN).catch(() => {}), ended]);
  for (let round = 0; round < 2 && !dead; round += 1) {
    const asked = [act(life, point), act(life, point), act(life, point)].filter((each) => each !== null);
    if (round === 1 && random() < 0.3) bot.signal('SIGTERM');
    await Promise.race([
      ended,
      untilEnded(
        life,
        asked.map(({ message }) => message.id),
        () => dead,
      ).catch(() => {}),
    ]);
    await Promise.race([ended, pause(50)]);
  }
  const struck = dead && (await bot.ended).signal === 'SIGKILL';
  if (!dead) bot.signal('SIGKILL');
  await ended;
  life.log.push(bot.errors());
  return struck ? order : `${order} (not reached)`;
}

/** What was deleted meanwhile never ends; a slow machine needs some seconds for the others. */
const ENDED_WITHIN_MS = 8_000;

/** Waits until the turns of these questions have ended, by the database; the process may die while it is looked at. */
async function untilEnded({ folder }: Life, ids: readonly string[], isOver: () => boolean): Promise<void> {
  const by = Date.now() + ENDED_WITHIN_MS;
  const list = JSON.stringify(ids);
  const ended = `SELECT count(*) FROM messages WHERE role = 'user' AND state <> 'pending'
    AND platform_id IN (SELECT value FROM json_each(?))`;
  while (!isOver() && Date.now() < by) {
    const db = new Sqlite(join(folder, 'keepsake.db'), { readonly: true });
    const count = db.prepare(ended).pluck().get(list) as number;
    db.close();
    if (count >= ids.length) return;
    await pause(50);
  }
}

/** Lets all turns end, asks once more everywhere, leaves as a bot should, and compares. */
async function settle(life: Life): Promise<string[]> {
  const { discord, openai, folder, places, takenBack } = life;
  const since = discord.journal.mark();
  const bot = await start(life);
  const path = join(folder, 'keepsake.db');
  const caughtUp = ({ id }: { id: string }) =>
    discord.journal.waitForRest({ method: 'GET', path: `/channels/${id}/messages` }, { since });
  await Promise.all(places.map(caughtUp));
  await untilAtRest(path);
  const requests = openai.chats().length;
  await Promise.all(places.map((_, place) => discord.replyTo(say(life, place).message)));
  await untilAtRest(path);
  bot.signal('SIGTERM');
  const { code } = await bot.ended;
  life.log.push(bot.errors());
  const words: TakenBack[] = takenBack.map((word) => ({ word, requests }));
  const faults = checkPromises({ discord, openai, path, channels: places, takenBack: words, log: life.log.join('\n') });
  return code === 0 ? faults : [...faults, `the last process ended with ${code}: ${bot.errors()}`];
}

/** One thing that somebody does, mostly a question; what is asked is given back. */
function act(life: Life, point: string): Spoken | null {
  const { discord, random, spoken, takenBack } = life;
  const wish = point.startsWith('edit') ? 0.5 : point.startsWith('erase') ? 0 : random();
  const old = pick(spoken, random);
  if (wish > 0.6 || old.gone || random() < 0.3) return say(life, Math.floor(random() * life.places.length));
  takenBack.push(old.mark);
  if (wish < 0.3) {
    old.gone = true;
    discord.deleteMessage(old.message);
  } else {
    old.mark = nextMark(life, old.place);
    discord.edit(old.message, `${discord.mention(discord.botUser)} rather ${old.mark}`);
  }
  return null;
}

function say(life: Life, place: number): Spoken {
  const { discord, places, people, random, spoken } = life;
  const person = place === 3 ? people[0] : pick(people, random);
  const mark = nextMark(life, place);
  const text = `${discord.mention(discord.botUser)} please ${mark}`;
  const message = discord.say(person as FakeUser, places[place] as { id: string }, text);
  const said = { message, place, mark, gone: false };
  spoken.push(said);
  return said;
}

function nextMark(life: Life, place: number): string {
  life.marks += 1;
  return `k${place}n${1_000 + life.marks}q`;
}

async function start(life: Life): Promise<Program> {
  const bot = launch(life);
  await bot.says(LOGGED_IN);
  return bot;
}

function launch({ discord, openai, folder }: Life, fault?: string): Program {
  const env = botEnvironment({ discord, openai }, fault === undefined ? {} : { KEEPSAKE_FAULT: fault });
  return startProgram({ bin: 'start', folder, env });
}

/** Waits until no question and no summary has waited for a while; what waits for ever is found by the comparison. */
async function untilAtRest(path: string): Promise<void> {
  const by = Date.now() + WAIT_MS;
  for (let quiet = 0; quiet < 4 && Date.now() < by; ) {
    quiet = waitingIn(path) === 0 ? quiet + 1 : 0;
    await pause(100);
  }
}

function waitingIn(path: string): number {
  const db = new Sqlite(path, { readonly: true });
  try {
    const questions = "SELECT count(*) FROM messages WHERE state = 'pending'";
    const summaries = 'SELECT count(*) FROM summaries WHERE dirty = 1';
    return db.prepare(`SELECT (${questions}) + (${summaries})`).pluck().get() as number;
  } finally {
    db.close();
  }
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A small generator of numbers from 0 to 1 that a seed fixes (Tommy Ettinger's mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
