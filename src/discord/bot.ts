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
import { keepCatchingUp } from './catch-up-again.js';
import { createClient } from './client.js';
import { createDoor, type Door, type DoorOptions } from './door.js';
import { doorEvents } from './events/index.js';
import { onEvent } from './events/on-event.js';
import { fatalClose, loginError, REFUSED_TOKEN } from './fatal.js';
import { leave } from './leave.js';
import { inviteLink } from './permissions.js';
import { registerCommands } from './register.js';
import { followRemoval, REMOVALS } from './removals.js';
import { keepAnswering } from './resume.js';
import { mindCrashLoop, mindLogins } from './start-manners.js';
import { forgetDeleted, forgetVanished } from './vanished.js';

/** What a bot is started with. */
export type BotParts = {
  chatbot: Chatbot;
  logger: Logger;
  clock: Clock;
  options: DoorOptions;
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
export async function startBot(parts: BotParts): Promise<Bot> {
  const { options, logger } = parts;
  const client = createClient({ api: parts.api, messageContent: options.messageContent });
  const door = createDoor(client, parts);
  const ended = endOf(client, door);
  client.on(Events.Error, (error) => logger.error({ error }, 'the Discord client reported an error'));
  client.rest.on(RESTEvents.Response, (_, { status }) => {
    if (status >= 400) parts.meter?.count('refusals', { status: String(status) });
  });
  open(client, door);
  await mindCrashLoop(door);
  await Promise.race([
    logIn(client, parts.token).then(() => door.ready),
    ended.then((error) => Promise.reject(error)),
  ]).catch(async (error) => {
    await client.destroy();
    throw error instanceof KeepsakeError ? error : loginError(error);
  });
  // Those that were registered before go on working, so the bot need not.
  await registerCommands(door).catch((error) => logger.warn({ error }, 'the slash commands were not registered'));
  const efforts = [keepAnswering(door), keepCatchingUp(door)];
  return {
    name: client.user?.tag ?? '',
    invite: inviteLink(client.application?.id ?? ''),
    intents: client.options.intents.toArray(),
    tidy: async () => {
      await forgetVanished(door);
      await forgetDeleted(door);
    },
    // The status of the client itself stays as it was at the first READY; those of its shards follow their sockets.
    connected: () => client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready),
    ended,
    stop: (graceMs) => {
      for (const end of efforts) end();
      return leave(client, door, graceMs);
    },
  };
}

/** Asks how many logins are left before it takes one. */
async function logIn(client: Client, token: string): Promise<void> {
  client.rest.setToken(token);
  const gateway = (await client.rest.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
  mindLogins(gateway.session_start_limit);
  await client.login(token);
}

/** Binds all events, and the raw packets of removals, each with its own catch. */
function open(client: Client, door: Door): void {
  client.on(Events.ShardReconnecting, () => {
    door.logger.warn('the connection to Discord is lost, connecting again');
    door.gaps.begin();
  });
  client.on(Events.ShardResume, () => {
    door.logger.info('the connection to Discord is back');
    door.gaps.resumed();
  });
  for (const event of doorEvents) onEvent(client, door, event);
  for (const name of REMOVALS) {
    client.ws.on(name as GatewayDispatchEvents.MessageDelete, (data: unknown) => {
      followRemoval(door, { t: name, d: data } as never).catch((error) =>
        door.logger.error({ event: name, error }, 'a removal was not followed'),
      );
    });
  }
}

/** The library falls silent after a fatal close or a token that is refused, so somebody has to listen for both. */
function endOf(client: Client, door: Door): Promise<KeepsakeError> {
  return new Promise((resolve) => {
    const end = (code: number) => {
      const error = fatalClose(code);
      if (error === null) return;
      door.running.stopAll('shutdown');
      resolve(error);
    };
    client.on(Events.ShardDisconnect, ({ code }) => end(code));
    client.rest.on(RESTEvents.Response, ({ path }, { status }) => {
      // Interactions carry tokens of their own, which expire.
      if (status === 401 && !/^\/(?:interactions|webhooks)\//u.test(path)) end(REFUSED_TOKEN);
    });
  });
}
