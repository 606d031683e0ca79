import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIMessage } from 'discord.js';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Options } from '../../src/chatbot/dependencies.js';
import type { Sleep } from '../../src/conversation/clock.js';
import { NO_METER } from '../../src/conversation/meter.js';
import type { Store } from '../../src/conversation/store.js';
import { type Bot, startBot } from '../../src/discord/bot.js';
import type { BotOptions } from '../../src/discord/shared/context.js';
import { armFaults } from '../../src/fault.js';
import { withBreaker } from '../../src/llm/breaker.js';
import { connectModel } from '../../src/llm/connect.js';
import type { Logger } from '../../src/logger.js';
import { openStore, type StoreOptions } from '../../src/storage/open.js';
import {
  type FakeDiscordOptions as DiscordOptions,
  type FakeChannel,
  type FakeDiscord,
  type FakeGuild,
  type FakeUser,
  type SayOptions,
  startFakeDiscord,
} from './fake-discord/index.js';
import { type FakeOpenAI, type Script, startFakeOpenAI } from './fake-openai/index.js';
import { answer } from './fake-openai/scripts.js';
import { type ChatRequest, questionOf, textOf } from './fake-openai/wire.js';
import { halvesCounter } from './scripted-model.js';

type Ref = { id: string };

/** How the model answers; undefined leaves a request to the echo. */
export type Respond = (request: ChatRequest) => Script | undefined;

/** What a line of the log was about. */
export type LogLine = { level: string; message: string; fields: Record<string, unknown> };

/** How a bot in this process is set up; what is left out is quick and without limits. */
export type Setup = {
  discord?: Partial<DiscordOptions>;
  options?: Partial<Options>;
  bot?: Partial<BotOptions>;
  sleep?: Sleep;
  store?: StoreOptions;
};

/** The whole bot in this process: real client, real store on a real file, real model client, loopback on both ends. */
export type World = {
  discord: FakeDiscord;
  openai: FakeOpenAI;
  guild: FakeGuild;
  room: FakeChannel;
  ada: FakeUser;
  /** The database's path. */
  path: string;
  /** What the clocks of bot and store are ahead by, in milliseconds; Discord's own is `discord.clock`. */
  time: { ahead: number };
  log: LogLine[];
  /** How the model answers from now on. */
  model: { respond: Respond };
  /** What runs now. */
  running(): Running;
  start(change?: Partial<Setup>): Promise<Running>;
  /** Ends the bot as a shutdown does, or with no grace as a crash might. */
  stop(graceMs?: number): Promise<void>;
  mention(user: Ref, channel: Ref, text: string, options?: SayOptions): APIMessage;
  /** Mentions the bot and waits for the complete reply. */
  ask(text: string, channel?: Ref, user?: Ref): Promise<APIMessage>;
  close(): Promise<void>;
};

/** The parts of a running bot. */
export type Running = { bot: Bot; chatbot: Chatbot; store: Store };

/** Opens a world in which the bot does not run yet. */
export async function openWorld(setup: Setup = {}): Promise<World> {
  const discord = await startFakeDiscord({ heartbeatMs: 20_000, ...setup.discord });
  const model: World['model'] = { respond: () => undefined };
  const openai = await startFakeOpenAI({
    respond: (request) => model.respond(request) ?? answer(`You said: ${lastLine(request)}`),
  });
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-faults-'));
  const guild = discord.addGuild();
  const room = discord.addChannel(guild);
  const ada = discord.addUser({ name: 'Ada' });
  discord.addMember(guild, ada);
  let running: Running | null = null;
  const log: LogLine[] = [];
  const time = { ahead: 0 };
  const world: World = {
    discord,
    openai,
    guild,
    room,
    ada,
    path: join(folder, 'keepsake.db'),
    time,
    log,
    model,
    running() {
      if (running === null) throw new Error('the bot does not run');
      return running;
    },
    async start(change = {}) {
      running = await startAll(world, { ...setup, ...change });
      return running;
    },
    async stop(graceMs = 5_000) {
      if (running === null) return;
      const { bot, chatbot, store } = running;
      running = null;
      await bot.stop(graceMs).catch((error) => log.push({ level: 'error', message: String(error), fields: {} }));
      await chatbot.close(1_000);
      await store.close();
    },
    mention: (user, channel, text, options) =>
      discord.say(user, channel, `${discord.mention(discord.botUser)} ${text}`, options),
    ask: (text, channel = room, user = ada) => discord.replyTo(world.mention(user, channel, text), isOver),
    async close() {
      armFaults(null);
      await world.stop(0);
      await Promise.all([discord.close(), openai.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** Whether an answer is over: its stop button is gone. */
export function isOver({ components }: APIMessage): boolean {
  return (components ?? []).length === 0;
}

/** The last line of a question, without the name of who asked it. */
export function lastLine(request: ChatRequest): string {
  return (
    questionOf(request)
      .split('\n')
      .at(-1)
      ?.replace(/^\w+: /u, '') ?? ''
  );
}

/** Everything that a request told the model. */
export function promptText(request: ChatRequest): string {
  return request.messages.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n');
}

/** Whether a request asks for a summary. */
export function isFold(request: ChatRequest): boolean {
  return promptText(request).startsWith('system: You keep the memory of a chat');
}

async function startAll(world: World, setup: Setup): Promise<Running> {
  const clock = () => Date.now() + world.time.ahead;
  const logger = recordingLogger(world.log);
  const store = await openStore(world.path, { clock, ...setup.store });
  const connection = await connectModel({
    apiKey: 'sk-loopback',
    baseUrl: world.openai.baseUrl,
    model: 'fake-model',
    modelWasSet: true,
    contextWindow: 60_000,
    deadlines: { firstByteMs: 20_000, idleMs: 20_000, totalMs: 60_000 },
    probeLocal: false,
  });
  const model = withBreaker(connection.model, clock);
  const options: Options = { ...CHATBOT, ...setup.options };
  const summaryModel = withBreaker(connection.summaryModel, clock);
  const parts = {
    store,
    counter: halvesCounter,
    modelNamed: () => model,
    summaryModel,
    clock,
    logger,
    meter: NO_METER,
    options,
  };
  const chatbot = new Chatbot(parts);
  const { token, api } = world.discord;
  try {
    const bot = await startBot({
      chatbot,
      logger,
      clock,
      options: { ...DOOR, ...setup.bot },
      token,
      api,
      meter: NO_METER,
      ...(setup.sleep !== undefined && { sleep: setup.sleep }),
    });
    return { bot, chatbot, store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const CHATBOT: Options = {
  defaultModel: 'fake-model',
  allowedModels: ['fake-model'],
  temperature: undefined,
  maxAnswerTokens: 10_000,
  retentionDays: 30,
  summaryInstructions: null,
  ceilings: { server: null, person: null },
  foldsAtOnce: 3,
  foldRetryMs: 50,
  turnMs: 30_000,
  waitMs: 600_000,
};

const DOOR: BotOptions = {
  messageContent: true,
  allowedModels: ['fake-model'],
  editIntervalMs: 20,
  cooldownMs: 0,
  answersPerServer: 1_000,
  freshMs: 600_000,
  catchUpMs: 7 * 86_400_000,
  graceMs: 7 * 86_400_000,
  crashPauseMs: 0,
  queueLimit: 20,
  retryMs: 100,
  pausesMs: [10, 20, 40],
};

function recordingLogger(log: LogLine[]): Logger {
  const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
    log.push({ level, message, fields });
  };
  const levels = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { ...levels, child: () => levels } as unknown as Logger;
}
