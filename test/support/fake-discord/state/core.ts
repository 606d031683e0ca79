import { type Clock, createClock, createSnowflakes } from '../shared/clock.js';
import type { PrivilegedIntent } from '../shared/constants.js';
import { createFaults, type Faults } from './faults.js';
import { createJournal, type Journal } from './journal.js';
import { createNonces, type Nonces } from './message-history.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { createSessions, type Sessions } from './sessions.js';
import { createWorld, type InteractionRecord, type World } from './world.js';

/** The state that all parts of the fake share. */
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
  /** All interactions by id. */
  interactions: Map<string, InteractionRecord>;
  /** The answer of `GET /gateway/bot`; every IDENTIFY decrements `remaining`. */
  sessionStartLimit: SessionStartLimit;
  /** Root of the REST server and address of the gateway; empty until both listen. */
  urls: { rest: string; gateway: string };
};

/** Discord's limit on IDENTIFY; `reset_after` in milliseconds. */
export type SessionStartLimit = { total: number; remaining: number; reset_after: number; max_concurrency: number };

/** Creates the state of a Discord in which only the bot's own user exists. */
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

/** Settings of a fake Discord. All durations are in milliseconds. */
export type FakeDiscordOptions = {
  /** Privileged intents that the developer portal grants; an IDENTIFY with others is closed with 4014. */
  intentsGranted: readonly PrivilegedIntent[];
  /** `heartbeat_interval` of HELLO. */
  heartbeatMs: number;
  /** Default timeout of everything that waits. */
  waitMs: number;
  /** Delay between READY and the GUILD_CREATE of all guilds. */
  guildDelayMs: number;
  /** Timeout for an interaction's first response; 3 s at Discord. */
  interactionMs: number;
  /** Lifetime of an interaction's token; 15 min at Discord. */
  interactionTokenMs: number;
  /** How long a nonce makes a post idempotent; Discord documents "the past few minutes". */
  nonceMs: number;
  /** Frames that a session keeps for RESUME; a client further behind gets op 9. */
  replayFrames: number;
  /** Entries that the journal keeps at least; older ones are dropped, so that a long run fits in memory. */
  journalEntries: number;
  /** Size limit of an uploaded file in bytes. */
  maxFileBytes: number;
  botName: string;
  /** The bot's token: any string. */
  token: string;
};

/** Defaults of all options: Discord's own figures where it documents them. */
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
