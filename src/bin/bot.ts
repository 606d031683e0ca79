import { allowedModels, createApp } from '../app.js';
import type { Config } from '../config.js';
import { DAY_MS } from '../conversation/clock.js';
import { type Bot, startBot } from '../discord/bot.js';
import type { DoorOptions } from '../discord/door.js';
import { createMetrics } from '../health/metrics.js';
import type { HealthServer } from '../health/server.js';
import { createLogger, type Logger } from '../logger.js';
import { EXIT } from './begin.js';
import { openHealth } from './health.js';
import { startFacts } from './start-facts.js';
import { keepTidy } from './tidy.js';

/** How long running answers and folds are waited for at the end, in milliseconds; Docker waits 10 s by default, systemd 90. */
const ANSWER_GRACE_MS = 15_000;
const FOLD_GRACE_MS = 6_000;
/** Whatever still hangs then is left behind: what is stored is safe. */
const LAST_MS = 25_000;

/** Runs the Discord bot until a signal or a fatal close ends it. */
export async function runBot(config: Config, token: string): Promise<void> {
  const logger = createLogger(config.LOG_LEVEL ?? 'info');
  // The library throws beside every listener when Discord sends what it cannot read: one event is lost, not the bot.
  process.on('unhandledRejection', (error) => logger.error({ error }, 'something failed where nobody listens'));
  const metrics = createMetrics(Date.now);
  const app = await createApp(config, logger, metrics.meter);
  console.log(app.connection.notice);
  const signal = signalled(logger);
  let bot: Bot | null = null;
  let health: HealthServer | null = null;
  try {
    const { chatbot } = app;
    // Served from before the login on, so that a start that hangs shows as unhealthy.
    health = await openHealth(config, logger, { app, metrics, connected: () => bot?.connected() ?? false });
    const starting = startBot({
      chatbot,
      logger,
      clock: Date.now,
      options: doorOptions(config, app.connection.model.id),
      token,
      api: config.DISCORD_API,
      meter: metrics.meter,
    });
    bot = await Promise.race([starting, signal]);
    if (bot === null) return;
    logger.info(await startFacts(config, app, bot.intents), 'started');
    console.log(`Logged in as ${bot.name}. Invite it with ${bot.invite}`);
    if (!config.MESSAGE_CONTENT) console.log('MESSAGE_CONTENT=0: only what is addressed to the bot is read.');
    const tidying = keepTidy(chatbot, logger, config, bot.tidy);
    const fatal = await Promise.race([bot.ended, signal]);
    clearInterval(tidying);
    await bot.stop(fatal === null ? ANSWER_GRACE_MS : 0);
    if (fatal !== null) throw fatal;
  } finally {
    await health?.close();
    await app.close(FOLD_GRACE_MS);
  }
}

function doorOptions(config: Config, defaultModel: string): DoorOptions {
  return {
    messageContent: config.MESSAGE_CONTENT,
    allowedModels: allowedModels(config, defaultModel),
    editIntervalMs: 1_500,
    cooldownMs: config.COOLDOWN_SECONDS * 1_000,
    answersPerServer: config.ANSWERS_PER_SERVER,
    queueLimit: 20,
    crashPauseMs: config.CRASH_PAUSE_SECONDS * 1_000,
    freshMs: config.FRESH_MINUTES * 60_000,
    catchUpMs: 7 * DAY_MS,
    graceMs: 7 * DAY_MS,
    retryMs: 30_000,
    pausesMs: [1_000, 4_000, 10_000],
  };
}

function signalled(logger: Logger): Promise<null> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      logger.info({ signal }, 'stopping');
      setTimeout(() => process.exit(EXIT.failed), LAST_MS).unref();
      resolve(null);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  });
}
