import { type Clock, createClock, createSnowflakes } from '../shared/clock.js';
import type { PrivilegedIntent } from '../shared/constants.js';
import { createFaults, type Faults } from './faults.js';
import { createJournal, type Journal } from './journal.js';
import { createNonces, type Nonces } from './message-history.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { createSessions, type Sessions } from './sessions.js';
import { createWorld, type InteractionRecord, type World } from './world.js';

/** What every part of the fake shares. */
export type Core = {
  options: FakeDiscordOptions;
  clock: Clock;
  snowflake(at?: number): string;
  world: World;
  journal: Journal;
  sessions: Sessions;
  faults: Faults;
  rateLimits: RateLimits;
  nonces: Nonces;
  /** Every interaction that was started, by id. */
  interactions: Map<string, InteractionRecord>;
  /** What `/gateway/bot` says; `remaining` falls with every IDENTIFY. */
  sessionStartLimit: SessionStartLimit;
  /** Addresses of the REST server's root and of the gateway, known once they listen. */
  urls: { rest: string; gateway: string };
};

/** How many times a bot may still identify; `reset_after` in milliseconds. */
export type SessionStartLimit = { total: number; remaining: number; reset_after: number; max_concurrency: number };

/** The shared parts, with nothing in the world but the bot. */
export function createCore(options: FakeDiscordOptions): Core {
  const clock = createClock();
  const snowflake = createSnowflakes(clock);
  const id = snowflake();
  const bot = { id, name: options.botName, globalName: null, bot: true, refusesDms: false };
  return {
    options,
    clock,
    snowflake,
    world: createWorld(bot, id, options.intentsGranted),
    journal: createJournal(clock, options.waitMs, options.journalEntries),
    sessions: createSessions(options.replayFrames),
    faults: createFaults(),
    rateLimits: createRateLimits(clock),
    nonces: createNonces(clock, options.nonceMs),
    interactions: new Map(),
    sessionStartLimit: { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 },
    urls: { rest: '', gateway: '' },
  };
}

/** How a fake Discord is set up. All durations are in milliseconds. */
export type FakeDiscordOptions = {
  /** Privileged intents that the developer portal grants; asking for others closes with 4014. */
  intentsGranted: readonly PrivilegedIntent[];
  /** The heartbeat interval that HELLO names. */
  heartbeatMs: number;
  /** How long a helper waits before it rejects with a dump of the journal. */
  waitMs: number;
  /** Time between READY and each guild's GUILD_CREATE. */
  guildDelayMs: number;
  /** Time for an interaction's first answer; Discord gives 3 s. */
  interactionMs: number;
  /** Life of an interaction's token; Discord gives 15 min. */
  interactionTokenMs: number;
  /** How long a nonce is remembered; Discord says "the past few minutes". */
  nonceMs: number;
  /** Frames a session keeps for RESUME; a client that is further behind gets op 9. */
  replayFrames: number;
  /** Entries that the journal keeps at least; older ones go, so that a long run fits in memory. */
  journalEntries: number;
  /** Largest upload per file in bytes. */
  maxFileBytes: number;
  botName: string;
  /** The bot's token; any string is good. */
  token: string;
};

/** The options that hold when nothing is said. */
export const DEFAULT_OPTIONS: FakeDiscordOptions = {
  intentsGranted: ['messageContent'],
  heartbeatMs: 41_250,
  waitMs: 10_000,
  guildDelayMs: 0,
  interactionMs: 3_000,
  interactionTokenMs: 15 * 60_000,
  nonceMs: 5 * 60_000,
  replayFrames: 10_000,
  journalEntries: Number.POSITIVE_INFINITY,
  maxFileBytes: 10 * 1024 * 1024,
  botName: 'Keepsake',
  token: 'fake-token.of.a-loopback-bot',
};
