import { type ChannelActions, createChannelActions } from './acting/channels.js';
import { createGuildActions, type GuildActions } from './acting/guilds.js';
import { createInteractionActions, type InteractionActions } from './acting/interacting.js';
import { createInteractionWaits, type InteractionWaits } from './acting/interaction-handle.js';
import { createPresenceActions, type PresenceActions } from './acting/presence.js';
import { createMessageActions, type MessageActions } from './acting/speaking.js';
import type { Clock } from './clock.js';
import type { PrivilegedIntent } from './constants.js';
import { type Core, createCore, type SessionStartLimit } from './core.js';
import type { FakeUser } from './entities.js';
import type { Faults } from './faults.js';
import { createGatewayServer } from './gateway/connections.js';
import { createGatewayControl, type GatewayControl } from './gateway/control.js';
import type { Journal } from './journal.js';
import { DEFAULT_OPTIONS, type FakeDiscordOptions } from './options.js';
import { createQueries, type Queries } from './queries.js';
import type { RateLimits } from './rate-limits.js';
import { ROUTES } from './rest/routes.js';
import { createRestServer } from './rest/server.js';

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
      core.world.granted.clear();
      for (const intent of intents) core.world.granted.add(intent);
    },
  };
}
