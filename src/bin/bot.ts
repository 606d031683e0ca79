import { readFileSync, statSync } from 'node:fs';
import { type App, allowedModels, createApp } from '../app.js';
import type { Config } from '../config.js';
import { DAY_MS } from '../conversation/clock.js';
import { DEFAULT_STRATEGY } from '../conversation/settings.js';
import { type Bot, startBot } from '../discord/bot.js';
import type { BotOptions } from '../discord/shared/context.js';
import { createMetrics, type Metrics } from '../health/metrics.js';
import { type HealthServer, startHealthServer } from '../health/server.js';
import { createLogger, type Logger } from '../logger.js';
import { databasePath } from '../storage/open.js';
import { startHourlyJobs } from './hourly-jobs.js';
import { EXIT } from './program.js';

/** The most that a shutdown waits for answers and folds that run, in milliseconds; Docker waits 10 s by default, systemd 90. */
const ANSWER_GRACE_MS = 15_000;
const FOLD_GRACE_MS = 6_000;
/** The process exits at this time whatever still hangs, since everything that matters is stored. */
const FORCED_EXIT_MS = 25_000;

/** Runs the Discord bot until a signal or a fatal close of the gateway ends it. */
export async function runBot(config: Config, token: string): Promise<void> {
  const logger = createLogger(config.LOG_LEVEL ?? 'info');
  // discord.js throws outside of every listener when it cannot read an event: that event is lost, not the bot.
  process.on('unhandledRejection', (error) => logger.error({ error }, 'unhandled rejection'));
  const metrics = createMetrics(Date.now);
  const app = await createApp(config, logger, metrics.meter);
  console.log(app.connection.notice);
  const signal = shutdownSignal(logger);
  let bot: Bot | null = null;
  let health: HealthServer | null = null;
  try {
    const { chatbot } = app;
    // Before the login, so that a start that hangs shows as unhealthy.
    health = await openHealth(config, logger, { app, metrics, connected: () => bot?.connected() ?? false });
    const starting = startBot({
      chatbot,
      logger,
      clock: Date.now,
      options: botOptions(config, app.connection.model.id),
      token,
      api: config.DISCORD_API,
      meter: metrics.meter,
    });
    bot = await Promise.race([starting, signal]);
    if (bot === null) return;
    logger.info(await startFacts(config, app, bot.intents), 'started');
    console.log(`Logged in as ${bot.name}. Invite it with ${bot.invite}`);
    if (!config.MESSAGE_CONTENT) console.log('MESSAGE_CONTENT=0: only what is addressed to the bot is read.');
    const hourlyJobs = startHourlyJobs({ chatbot, logger, config, removeGoneSessions: bot.removeGone });
    const fatal = await Promise.race([bot.ended, signal]);
    clearInterval(hourlyJobs);
    await bot.stop(fatal === null ? ANSWER_GRACE_MS : 0);
    if (fatal !== null) throw fatal;
  } finally {
    await health?.close();
    await app.close(FOLD_GRACE_MS);
  }
}

/** Resolves at the first SIGTERM or SIGINT, and limits how long the shutdown may then take. */
function shutdownSignal(logger: Logger): Promise<null> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      logger.info({ signal }, 'stopping');
      setTimeout(() => process.exit(EXIT.failed), FORCED_EXIT_MS).unref();
      resolve(null);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  });
}

function botOptions(config: Config, defaultModel: string): BotOptions {
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

/** Starts the health server if HEALTH_PORT is set. */
async function openHealth(
  { HEALTH_HOST: host, HEALTH_PORT: port }: Config,
  logger: Logger,
  { app, metrics, connected }: { app: App; metrics: Metrics; connected: () => boolean },
): Promise<HealthServer | null> {
  if (port === undefined) return null;
  const probe = {
    gateway: connected,
    write: () => app.chatbot.sessions.saveFact('health', String(Date.now())),
    lastFold: metrics.lastFold,
    model: () => app.breaker().status,
  };
  const server = await startHealthServer({ host, port, probe, metrics });
  logger.info({ host, port: server.port }, 'health server started');
  return server;
}

/** The log's fields of a start; no texts and no secrets. */
type StartFacts = {
  version: string;
  node: string;
  database: { path: string; bytes: number; ageDays: number } | { path: string };
  sessions: number;
  model: string;
  strategy: string;
  intents: readonly string[];
};

async function startFacts(config: Config, app: App, intents: readonly string[]): Promise<StartFacts> {
  let sessions = 0;
  for await (const _ of app.chatbot.eachSession()) sessions += 1;
  return {
    version: packageVersion(),
    node: process.version,
    database: databaseFacts(databasePath(config.DATABASE_URL)),
    sessions,
    model: app.connection.model.id,
    strategy: DEFAULT_STRATEGY.name,
    intents,
  };
}

function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(manifest) as { version: unknown }).version);
}

function databaseFacts(path: string): StartFacts['database'] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path };
  return { path, bytes: stat.size, ageDays: Math.floor((Date.now() - stat.birthtimeMs) / DAY_MS) };
}
