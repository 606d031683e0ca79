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
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import { KeepsakeError } from '../conversation/errors.js';
import type { Meter } from '../conversation/meter.js';
import type { Logger } from '../logger.js';
import { startResumeLoop } from './answers/resume.js';
import { inviteLink } from './check.js';
import { slashCommands } from './commands/index.js';
import { gatewayEvents, onEvent } from './events.js';
import { clearStartRecord, fatalClose, guardCrashLoop, guardLoginLimit, loginError, REFUSED_TOKEN } from './login.js';
import { startCatchUpLoop } from './messages/catch-up.js';
import { applyRemoval, REMOVAL_EVENTS, removeDeletedChannels, removeLeftGuilds } from './messages/removals.js';
import { createClient } from './shared/client.js';
import { type BotContext, type BotOptions, createBotContext } from './shared/context.js';

/** How long Discord's goodbye is waited for, in milliseconds. */
const GOODBYE_MS = 2_000;
/** How long answers that are stopped at the end may take to say so, in milliseconds. */
const PARKING_MS = 3_000;

/** Takes nothing more in, waits up to `graceMs` for answers under way, parks the rest for the next start, and says goodbye. */
async function shutDown(client: Client, ctx: BotContext, graceMs: number): Promise<void> {
  for (const event of gatewayEvents) client.removeAllListeners(event.name);
  // The library says that it connects again also when it leaves.
  client.removeAllListeners(Events.ShardReconnecting);
  const until = ctx.clock() + graceMs;
  while (ctx.running.count() > 0 && ctx.clock() < until) await ctx.editThrottle.wait(50);
  ctx.running.stopAll('shutdown');
  while (ctx.running.count() > 0 && ctx.clock() < until + PARKING_MS) await ctx.editThrottle.wait(50);
  await clearStartRecord(ctx.chatbot).catch((error) => ctx.logger.warn({ error }, 'the start was not forgotten'));
  // The library waits for a goodbye that a lost connection never gives.
  await Promise.race([client.destroy(), ctx.editThrottle.wait(GOODBYE_MS)]);
}

/** The fact under which the store remembers what was registered last. */
export const COMMANDS_FACT = 'commands-hash';

/**
 * Registers the slash commands for all servers and direct messages, if they or the application have changed since.
 * Resolves with whether they had. @throws {Error} when Discord refuses; nothing is remembered then.
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

/** What a bot is started with. */
type StartOptions = {
  chatbot: Chatbot;
  logger: Logger;
  clock: Clock;
  options: BotOptions;
  token: string;
  api: string | undefined;
  /** Counts the requests that Discord refuses. */
  meter?: Meter;
};

/** A bot that is logged in. */
export type Bot = {
  /** The name that it goes by, and the link that invites it. */
  name: string;
  invite: string;
  /** The gateway intents that it has asked for. */
  intents: string[];
  /** Whether the gateway is connected now. */
  connected(): boolean;
  /** Lets go of what is kept no longer; to be called now and then. */
  tidy(): Promise<void>;
  /** Settles only when Discord ends the connection for good. */
  ended: Promise<KeepsakeError>;
  /** Takes nothing more in, waits up to `graceMs` for answers under way, and leaves. */
  stop(graceMs: number): Promise<void>;
};

/**
 * Logs in and opens the door.
 * @throws {KeepsakeError} when Discord refuses the token or the intents, or cannot be reached.
 */
export async function startBot(parts: StartOptions): Promise<Bot> {
  const { options, logger } = parts;
  const client = createClient({ api: parts.api, messageContent: options.messageContent });
  const ctx = createBotContext(client, parts);
  const ended = endOf(client, ctx);
  client.on(Events.Error, (error) => logger.error({ error }, 'the Discord client reported an error'));
  client.rest.on(RESTEvents.Response, (_, { status }) => {
    if (status >= 400) parts.meter?.count('refusals', { status: String(status) });
  });
  bindEvents(client, ctx);
  await guardCrashLoop(ctx);
  await Promise.race([
    logIn(client, parts.token).then(() => ctx.ready),
    ended.then((error) => Promise.reject(error)),
  ]).catch(async (error) => {
    await client.destroy();
    throw error instanceof KeepsakeError ? error : loginError(error);
  });
  // Those that were registered before go on working, so the bot need not.
  await registerCommands(ctx).catch((error) => logger.warn({ error }, 'the slash commands were not registered'));
  const efforts = [startResumeLoop(ctx), startCatchUpLoop(ctx)];
  return {
    name: client.user?.tag ?? '',
    invite: inviteLink(client.application?.id ?? ''),
    intents: client.options.intents.toArray(),
    tidy: async () => {
      await removeLeftGuilds(ctx);
      await removeDeletedChannels(ctx);
    },
    // The status of the client itself stays as it was at the first READY; those of its shards follow their sockets.
    connected: () => client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready),
    ended,
    stop: (graceMs) => {
      for (const end of efforts) end();
      return shutDown(client, ctx, graceMs);
    },
  };
}

/** Asks how many logins are left before it takes one. */
async function logIn(client: Client, token: string): Promise<void> {
  client.rest.setToken(token);
  const gateway = (await client.rest.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
  guardLoginLimit(gateway.session_start_limit);
  await client.login(token);
}

/** Binds all events, and the raw packets of removals, each with its own catch. */
function bindEvents(client: Client, ctx: BotContext): void {
  client.on(Events.ShardReconnecting, () => {
    ctx.logger.warn('the connection to Discord is lost, connecting again');
    ctx.gaps.begin();
  });
  client.on(Events.ShardResume, () => {
    ctx.logger.info('the connection to Discord is back');
    ctx.gaps.resumed();
  });
  for (const event of gatewayEvents) onEvent(client, ctx, event);
  for (const name of REMOVAL_EVENTS) {
    client.ws.on(name as GatewayDispatchEvents.MessageDelete, (data: unknown) => {
      applyRemoval(ctx, { t: name, d: data } as never).catch((error) =>
        ctx.logger.error({ event: name, error }, 'a removal was not followed'),
      );
    });
  }
}

/** The library falls silent after a fatal close or a token that is refused, so somebody has to listen for both. */
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
      // Interactions carry tokens of their own, which expire.
      if (status === 401 && !/^\/(?:interactions|webhooks)\//u.test(path)) end(REFUSED_TOKEN);
    });
  });
}
