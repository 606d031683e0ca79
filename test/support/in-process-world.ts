import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Options } from '../../src/chatbot/dependencies.js';
import type { Sleep } from '../../src/conversation/clock.js';
import { NO_METER } from '../../src/conversation/meter.js';
import type { Store } from '../../src/conversation/store.js';
import { type Bot, startBot } from '../../src/discord/bot.js';
import type { BotOptions } from '../../src/discord/shared/context.js';
import { armFaults } from '../../src/fault.js';
import { withBreaker } from '../../src/llm/breaker.js';
import { chooseModel } from '../../src/llm/choose-model.js';
import { openStore, type StoreOptions } from '../../src/storage/open.js';
import type { FakeDiscordOptions } from './fake-discord/index.js';
import { botOptions, chatbotOptions, MODEL } from './options.js';
import { type LogLine, recordingLogger } from './recording-logger.js';
import { halvesCounter } from './scripted-model.js';
import { openWorld, type World } from './world.js';

/** How the bot is set up beside the usual options. */
export type Setup = {
  discord?: Partial<FakeDiscordOptions>;
  options?: Partial<Options>;
  bot?: Partial<BotOptions>;
  sleep?: Sleep;
  store?: StoreOptions;
};

/** A world with the whole bot in this process: real client, real store on a real file, real model client. */
export type InProcessWorld = World & {
  /** What the clocks of bot and store are ahead by, in milliseconds; Discord's own is `discord.clock`. */
  time: { ahead: number };
  log: LogLine[];
  /** What runs now. @throws when the bot does not run. */
  running(): Running;
  start(changed?: Partial<Setup>): Promise<Running>;
  /** Ends the bot as a shutdown does, or with no grace as a crash might. */
  stop(graceMs?: number): Promise<void>;
};

/** The parts of a running bot. */
export type Running = { bot: Bot; chatbot: Chatbot; store: Store };

/** Opens a world in which the bot does not run yet. */
export async function openInProcessWorld(setup: Setup = {}): Promise<InProcessWorld> {
  const world = await openWorld(setup.discord);
  const { close } = world;
  let running: Running | null = null;
  const [log, time]: [LogLine[], { ahead: number }] = [[], { ahead: 0 }];
  const inProcess: InProcessWorld = Object.assign(world, {
    time,
    log,
    running() {
      if (running === null) throw new Error('the bot does not run');
      return running;
    },
    async start(changed: Partial<Setup> = {}) {
      running = await startAll(inProcess, { ...setup, ...changed });
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
    async close() {
      armFaults(null);
      await inProcess.stop(0);
      await close();
    },
  });
  return inProcess;
}

async function startAll(world: InProcessWorld, setup: Setup): Promise<Running> {
  const clock = () => Date.now() + world.time.ahead;
  const logger = recordingLogger(world.log);
  const store = await openStore(world.path, { clock, ...setup.store });
  const connection = await chooseModel({
    apiKey: 'sk-loopback',
    baseUrl: world.openai.baseUrl,
    model: MODEL,
    modelWasSet: true,
    contextWindow: 60_000,
    deadlines: { firstByteMs: 20_000, idleMs: 20_000, totalMs: 60_000 },
    probeLocal: false,
  });
  const model = withBreaker(connection.model, clock);
  const chatbot = new Chatbot({
    store,
    counter: halvesCounter,
    modelNamed: () => model,
    summaryModel: withBreaker(connection.summaryModel, clock),
    clock,
    logger,
    meter: NO_METER,
    options: chatbotOptions({ allowedModels: [MODEL], maxAnswerTokens: 10_000, ...setup.options }),
  });
  const { token, api } = world.discord;
  try {
    const bot = await startBot({
      chatbot,
      logger,
      clock,
      options: botOptions(setup.bot),
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
