import {
  type ChannelActions,
  createChannelActions,
  createGuildActions,
  createPresenceActions,
  type GuildActions,
  type PresenceActions,
} from './driver/guilds.js';
import { createInteractionActions, type InteractionActions } from './driver/interactions.js';
import { createMessageActions, type MessageActions } from './driver/messages.js';
import { createInteractionWaits, createQueries, type InteractionWaits, type Queries } from './driver/queries.js';
import { createGatewayControl, createGatewayServer, type GatewayControl } from './gateway/server.js';
import { ROUTES } from './rest/routes.js';
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

/** A running fake Discord: its addresses, its world, the people in it, and everything that can go wrong. */
export type FakeDiscord = GuildActions &
  PresenceActions &
  ChannelActions &
  MessageActions &
  InteractionActions &
  Queries & {
    /** What a client takes as `rest.api`. */
    api: string;
    token: string;
    applicationId: string;
    botUser: FakeUser;
    clock: Pick<Clock, 'now' | 'advance'>;
    journal: Journal;
    interactions: InteractionWaits;
    faults: Omit<Faults, 'take'>;
    gateway: GatewayControl;
    /** Rate limits, off until `use` switches them on. */
    rateLimits: Pick<RateLimits, 'use'>;
    rest: {
      /** Refuses TCP connections to the REST API; present ones are cut. */
      refuse(): Promise<void>;
      /** Accepts them again, at the same address. */
      accept(): Promise<void>;
    };
    /** Changes what `/gateway/bot` says about further sessions. */
    setSessionStartLimit(limit: Partial<SessionStartLimit>): void;
    /** Changes the privileged intents that the developer portal grants. */
    grantIntents(intents: readonly PrivilegedIntent[]): void;
    /** Ends everything. */
    close(): Promise<void>;
  };

/**
 * Starts a Discord on 127.0.0.1: REST and CDN on one port, the gateway on another. It lives in the calling process, which
 * is enough wherever the bot is a process of its own; `process/remote.ts` starts the same in a child. What is modelled is what
 * Discord documents; what a test cannot ask of it is listed by `unknownRequests()`.
 */
export async function startFakeDiscord(options: Partial<FakeDiscordOptions> = {}): Promise<FakeDiscord> {
  const core = createCore({ ...DEFAULT_OPTIONS, ...options });
  const rest = createRestServer(core, ROUTES);
  const connections = createGatewayServer(core);
  await rest.open();
  core.urls.rest = `http://127.0.0.1:${rest.number()}`;
  core.urls.gateway = await connections.open();
  const close = async () => {
    core.faults.clear();
    core.journal.close();
    await Promise.all([rest.close(), connections.refuse()]);
  };
  return {
    ...createGuildActions(core),
    ...createPresenceActions(core),
    ...createChannelActions(core),
    ...createMessageActions(core),
    ...createInteractionActions(core),
    ...createQueries(core),
    ...parts(core),
    gateway: createGatewayControl(core, connections),
    rest: { refuse: rest.close, accept: rest.open },
    close,
  };
}

function parts(core: Core) {
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
