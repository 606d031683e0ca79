import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '#dist/conversation/store.js';
import { openStore } from '#dist/storage/open.js';
import {
  type FakeChannel,
  type FakeDiscord,
  type FakeGuild,
  type FakeUser,
  startFakeDiscord,
} from '../../test/support/fake-discord/index.js';
import { type BotProcess, startBotProcess } from './bot-process.js';
import { type Endpoint, markOf, type Speech, startEndpoint } from './endpoint.js';
import { environment, freePort } from './environment.js';
import { keepLedger, type Ledger } from './ledger.js';
import { type Readings, takeReadings } from './readings.js';
import { judge, type Verdict } from './verdict.js';

/** How big the world is. */
export type StageOptions = {
  channels: number;
  channelsPerServer?: number;
  speech?: Speech;
  env?: Record<string, string>;
};

/** A built bot in its own process; Discord, the model and the people live in this one. */
export type Stage = {
  discord: FakeDiscord;
  endpoint: Endpoint;
  servers: FakeGuild[];
  channels: FakeChannel[];
  people: FakeUser[];
  ledger: Ledger;
  folder: string;
  databasePath: string;
  bot(): BotProcess;
  start(): Promise<BotProcess>;
  /** Ends the bot as a crash would. */
  crash(): Promise<void>;
  /** Fills the database while the bot is not running. */
  seed(fill: (store: Store) => Promise<void>): Promise<void>;
  /** Somebody talks in a channel, by its number; an `unseen` message is not told to the bot. */
  talk(channel: number, unseen?: boolean): string;
  /** Somebody asks the bot something; gives the message's id. */
  ask(channel: number): string;
  readings(): Promise<Readings>;
  /** Waits until every question is answered in full, or the time is up; gives how many are not. */
  settled(ms: number): Promise<number>;
  verdict(): Verdict;
  close(): Promise<void>;
};

const PEOPLE = 40;
const TALK = 'the harbour opens at nine and the boats come back when the tide allows it, says';

/** Opens a stage on which everything that is said is remembered; the bot is not started yet. */
export async function openStage({ channels: count, ...options }: StageOptions): Promise<Stage> {
  const discord = await startFakeDiscord({ journalEntries: 50_000, waitMs: 30_000 });
  const endpoint = await startEndpoint(options.speech ?? { firstMs: 20, everyMs: 0, words: 20 });
  const ledger = keepLedger(discord);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-load-'));
  const databasePath = join(folder, 'keepsake.db');
  const perServer = options.channelsPerServer ?? 100;
  const servers = Array.from({ length: Math.ceil(count / perServer) }, (_, i) => discord.addGuild({ name: `S${i}` }));
  const channels = Array.from({ length: count }, (_, i) =>
    discord.addChannel(servers[Math.floor(i / perServer)]!, { name: `c${i}` }),
  );
  const people = Array.from({ length: PEOPLE }, (_, i) => discord.addUser({ name: `person${i}` }));
  const healthPort = await freePort();
  const env = { ...environment(discord, endpoint), HEALTH_PORT: String(healthPort), ...options.env };
  let bot: BotProcess | null = null;
  let number = 0;
  const running = () => {
    if (bot === null) throw new Error('the bot was not started');
    return bot;
  };
  const say = (channel: number, text: string, mark: string | null, unseen: boolean) => {
    const at = performance.now();
    const { id } = discord.say(people[number % PEOPLE]!, channels[channel]!, text, { unseen });
    ledger.note(id, channels[channel]!.id, mark, at);
    return id;
  };
  const stage: Stage = {
    discord,
    endpoint,
    servers,
    channels,
    people,
    ledger,
    folder,
    databasePath,
    bot: running,
    async start() {
      bot = await startBotProcess(folder, env);
      return bot;
    },
    async crash() {
      running().signal('SIGKILL');
      await running().ended;
    },
    async seed(fill) {
      const store = await openStore(databasePath);
      await fill(store);
      await store.close();
    },
    talk(channel, unseen = false) {
      number += 1;
      return say(channel, `${TALK} ${markOf(channel, number)}`, null, unseen);
    },
    ask(channel) {
      number += 1;
      const mark = markOf(channel, number);
      return say(channel, `${discord.mention(discord.botUser)} what about this? ${mark}`, mark, false);
    },
    readings: () => takeReadings(running().pid, healthPort, databasePath),
    async settled(ms) {
      const end = performance.now() + ms;
      while (ledger.open() > 0 && performance.now() < end) await sleep(100);
      return ledger.open();
    },
    verdict: () => judge(databasePath, ledger, discord),
    async close() {
      bot?.signal('SIGKILL');
      await bot?.ended;
      await Promise.all([discord.close(), endpoint.openai.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await stage.seed(async (store) => {
    for (const { id } of servers) await store.saveSetting(`server:${id}`, 'listen', 'all', Date.now());
  });
  return stage;
}
