import { type Clock, createClock, createSnowflakes } from './clock.js';
import { createFaults, type Faults } from './faults.js';
import { createSessions, type Sessions } from './gateway/sessions.js';
import type { InteractionRecord } from './interaction-record.js';
import { createJournal, type Journal } from './journal.js';
import { createNonces, type Nonces } from './nonces.js';
import type { FakeDiscordOptions } from './options.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { createWorld, type World } from './world.js';

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
