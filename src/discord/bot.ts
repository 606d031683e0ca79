import { createHash } from 'node:crypto';
import {
  type Client,
  Events,
  type GatewayDispatchEvents,
  RESTEvents,
  type RESTGetAPIGatewayBotResult,
  Routes,
  Status,
} from 'discord.js';
import { sleep } from '../conversation/clock.js';
import { KeepsakeError } from '../conversation/errors.js';
import type { Meter } from '../conversation/meter.js';
import { startResumeLoop } from './answers/resume.js';
import { inviteLink } from './check.js';
import { slashCommands } from './commands/index.js';
import { gatewayEvents, onEvent } from './events.js';
import {
  CLOSE_AUTHENTICATION_FAILED,
  clearStartRecord,
  fatalClose,
  guardCrashLoop,
  guardLoginLimit,
  loginError,
} from './login-guards.js';
import { startBackfillRetries } from './messages/catch-up.js';
import { applyRemoval, forgetDeletedChannels, forgetLeftGuilds, REMOVAL_EVENTS } from './messages/removals.js';
import { createClient } from './shared/client.js';
import { type BotContext, type BotDependencies, createBotContext } from './shared/context.js';

/** What a bot is started with; `api` replaces Discord's own address. */
type StartOptions = BotDependencies & {
  token: string;
  api: string | undefined;
  /** Counts the requests that Discord refuses. */
  meter: Meter;
};

/** A bot that is logged in. */
export type Bot = {
  /** Its tag, and the link that invites it. */
  name: string;
  invite: string;
  /** The gateway intents that it has requested. */
  intents: string[];
  /** Whether the gateway is connected now. */
  connected(): boolean;
  /** Deletes what belongs to left servers and deleted channels; to be called now and then. */
  removeGone(): Promise<void>;
  /** Resolves only when Discord ends the connection for good. */
  ended: Promise<KeepsakeError>;
  /** Takes no more events, waits up to `graceMs` milliseconds for running answers, and disconnects. */
  stop(graceMs: number): Promise<void>;
};

/**
 * Logs in and handles Discord's events until it is stopped.
 * @throws {KeepsakeError} when Discord refuses the token or the intents, or cannot be reached.
 */
export async function startBot(start: StartOptions): Promise<Bot> {
  const { options, logger } = start;
  const client = createClient({ api: start.api, messageContent: options.messageContent });
  const ctx = createBotContext(client, start);
  const ended = endOf(client, ctx);
  client.on(Events.Error, (error) => logger.error({ error }, 'Discord client error'));
  client.rest.on(RESTEvents.Response, (_, { status }) => {
    if (status >= 400) start.meter.count('refusals', { status: String(status) });
  });
  bindEvents(client, ctx);
  await guardCrashLoop(ctx);
  await Promise.race([
    logIn(client, start.token).then(() => ctx.ready),
    ended.then((error) => Promise.reject(error)),
  ]).catch(async (error) => {
    await client.destroy();
    throw error instanceof KeepsakeError ? error : loginError(error);
  });
  // Commands that were registered before go on working.
  await registerCommands(ctx).catch((error) => logger.warn({ error }, 'failed to register the slash commands'));
  const loops = [startResumeLoop(ctx), startBackfillRetries(ctx)];
  return {
    name: client.user?.tag ?? '',
    invite: inviteLink(client.application?.id ?? ''),
    intents: client.options.intents.toArray(),
    removeGone: async () => {
      await forgetLeftGuilds(ctx);
      await forgetDeletedChannels(ctx);
    },
    // The client's own status never leaves Ready; those of its shards follow their sockets.
    connected: () => client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready),
    ended,
    stop: (graceMs) => {
      for (const end of loops) end();
      return shutDown(client, ctx, graceMs);
    },
  };
}

/** Checks the remaining logins before it uses one. */
async function logIn(client: Client, token: string): Promise<void> {
  client.rest.setToken(token);
  const gateway = (await client.rest.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
  guardLoginLimit(gateway.session_start_limit);
  await client.login(token);
}

/** Binds all events, and the raw dispatches of removals, each with its own catch. */
function bindEvents(client: Client, ctx: BotContext): void {
  client.on(Events.ShardReconnecting, () => {
    ctx.logger.warn('connection to Discord lost, reconnecting');
    ctx.backfill.connectionLost();
  });
  client.on(Events.ShardResume, () => {
    ctx.logger.info('connection to Discord resumed');
    ctx.backfill.connectionResumed();
  });
  for (const event of gatewayEvents) onEvent(client, ctx, event);
  for (const name of REMOVAL_EVENTS) {
    client.ws.on(name as GatewayDispatchEvents.MessageDelete, (data: unknown) => {
      applyRemoval(ctx, { t: name, d: data } as never).catch((error) =>
        ctx.logger.error({ event: name, error }, 'failed to apply a removal event'),
      );
    });
  }
}

/** Resolves at a fatal close or a refused token, after which the library reports nothing more. */
function endOf(client: Client, ctx: BotContext): Promise<KeepsakeError> {
  return new Promise((resolve) => {
    const end = (code: number) => {
      const error = fatalClose(code);
      if (error === null) return;
      ctx.running.stopAll('shutdown');
      resolve(error);
    };
    client.on(Events.ShardDisconnect, ({ code }) => end(code));
    client.rest.on(RESTEvents.Response, ({ path }, { status }) => {
      // Interactions have tokens of their own, which expire.
      if (status === 401 && !/^\/(?:interactions|webhooks)\//u.test(path)) end(CLOSE_AUTHENTICATION_FAILED);
    });
  });
}

/** The fact under which the store keeps the hash of the commands that were registered last. */
export const COMMANDS_FACT = 'commands-hash';

/**
 * Registers the slash commands for all servers and direct messages, if they or the application have changed since the last
 * time. Resolves with whether they had. @throws {Error} when Discord refuses; nothing is stored then.
 */
export async function registerCommands({ client, chatbot, logger }: BotContext): Promise<boolean> {
  const applicationId = client.application.id;
  const body = slashCommands.map(({ data }) => data);
  const hash = createHash('sha256')
    .update(JSON.stringify([applicationId, body]))
    .digest('hex');
  if ((await chatbot.sessions.loadFact(COMMANDS_FACT)) === hash) return false;
  await client.rest.put(Routes.applicationCommands(applicationId), { body });
  await chatbot.sessions.saveFact(COMMANDS_FACT, hash);
  logger.info({ commands: body.length }, 'slash commands registered');
  return true;
}

/** How long the gateway's close is waited for, in milliseconds. */
const CLOSE_MS = 2_000;
/** How long stopped answers may take to show that they were interrupted, in milliseconds. */
const PARKING_MS = 3_000;

/** Takes no more events, waits up to `graceMs` for running answers, parks the others for the next start, and disconnects. */
async function shutDown(client: Client, ctx: BotContext, graceMs: number): Promise<void> {
  for (const event of gatewayEvents) client.removeAllListeners(event.name);
  // The library reports a reconnect also when it disconnects on purpose.
  client.removeAllListeners(Events.ShardReconnecting);
  await Promise.race([ctx.running.idle(), sleep(graceMs, { ref: false })]);
  ctx.running.stopAll('shutdown');
  await Promise.race([ctx.running.idle(), sleep(PARKING_MS, { ref: false })]);
  await clearStartRecord(ctx.chatbot).catch((error) => ctx.logger.warn({ error }, 'failed to clear the start record'));
  // On a lost connection the library waits for a close that never comes.
  await Promise.race([client.destroy(), sleep(CLOSE_MS, { ref: false })]);
}
