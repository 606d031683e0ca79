import { type ChannelActions, createChannelActions } from './driver/channels.js';
import { createGuildActions, createPresenceActions, type GuildActions, type PresenceActions } from './driver/guilds.js';
import { createInteractionActions, type InteractionActions } from './driver/interactions.js';
import { createMessageActions, type MessageActions } from './driver/messages.js';
import { createInteractionWaits, createQueries, type InteractionWaits, type Queries } from './driver/queries.js';
import { createGatewayControl, createGatewayServer, type GatewayControl } from './gateway/server.js';
import { createRestServer } from './rest/server.js';
import type { Clock } from './shared/clock.js';
import type { PrivilegedIntent } from './shared/constants.js';
import {
  type Core,
  createCore,
  DEFAULT_OPTIONS,
  type FakeDiscordOptions,
  type SessionStartLimit,
} from './state/core.js';
import type { Faults } from './state/faults.js';
import type { Journal } from './state/journal.js';
import type { RateLimits } from './state/rate-limits.js';
import type { FakeUser } from './state/world.js';

/** A running fake Discord: actions of users, observations of the bot, and faults. README.md has an overview. */
export type FakeDiscord = GuildActions &
  PresenceActions &
  ChannelActions &
  MessageActions &
  InteractionActions &
  Queries & {
    /** The base URL that a client takes as `rest.api`. */
    api: string;
    token: string;
    applicationId: string;
    botUser: FakeUser;
    clock: Pick<Clock, 'now' | 'advance'>;
    journal: Journal;
    interactions: InteractionWaits;
    faults: Omit<Faults, 'take'>;
    gateway: GatewayControl;
    /** Discord's rate limits, off by default. */
    rateLimits: Pick<RateLimits, 'use'>;
    rest: {
      /** Closes the REST API's port and breaks all connections. */
      refuse(): Promise<void>;
      /** Listens again, at the same address. */
      accept(): Promise<void>;
    };
    /** Changes the session start limit that `GET /gateway/bot` returns. */
    setSessionStartLimit(limit: Partial<SessionStartLimit>): void;
    /** Changes the privileged intents that the developer portal grants. */
    grantIntents(intents: readonly PrivilegedIntent[]): void;
    /** Stops both servers and rejects all pending waits. */
    close(): Promise<void>;
  };

/**
 * Starts a Discord on 127.0.0.1, in the calling process: REST and CDN on one port, the gateway on another.
 * `startFakeDiscordProcess` starts one in a child process.
 */
export async function startFakeDiscord(options: Partial<FakeDiscordOptions> = {}): Promise<FakeDiscord> {
  const core = createCore({ ...DEFAULT_OPTIONS, ...options });
  const rest = createRestServer(core);
  const gateway = createGatewayServer(core);
  await rest.open();
  core.urls.rest = `http://127.0.0.1:${rest.number()}`;
  core.urls.gateway = await gateway.open();
  const close = async () => {
    core.faults.clear();
    core.journal.close();
    await Promise.all([rest.close(), gateway.refuse()]);
  };
  return {
    ...createGuildActions(core),
    ...createPresenceActions(core),
    ...createChannelActions(core),
    ...createMessageActions(core),
    ...createInteractionActions(core),
    ...createQueries(core),
    ...stateControls(core),
    gateway: createGatewayControl(core, gateway),
    rest: { refuse: rest.close, accept: rest.open },
    close,
  };
}

function stateControls(core: Core) {
  return {
    api: `${core.urls.rest}/api`,
    token: core.options.token,
    applicationId: core.world.applicationId,
    botUser: core.world.bot,
    clock: core.clock,
    journal: core.journal,
    faults: core.faults,
    rateLimits: core.rateLimits,
    interactions: createInteractionWaits(core),
    setSessionStartLimit: (limit: Partial<SessionStartLimit>) => void Object.assign(core.sessionStartLimit, limit),
    grantIntents(intents: readonly PrivilegedIntent[]) {
      core.world.grantedIntents.clear();
      for (const intent of intents) core.world.grantedIntents.add(intent);
    },
  };
}
