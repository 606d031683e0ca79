import { DiscordAPIError } from 'discord.js';
import type { Chatbot } from '../chatbot/chatbot.js';
import { ConfigError, KeepsakeError } from '../conversation/errors.js';
import type { BotContext } from './shared/context.js';

/** Close codes after which Discord accepts no new connection, and what mends them (Discord's docs, Gateway close event codes). */
const FATAL_CLOSES: Readonly<Record<number, string>> = {
  4004: 'Discord refused the token; copy the bot token again from the Developer Portal into DISCORD_TOKEN',
  4010: 'Discord refused the shard, which Keepsake leaves to the environment alone; remove SHARDS and SHARD_COUNT from it, or update Keepsake',
  4011: 'the bot is in more servers than Discord allows for one connection (2,500), and Keepsake opens only one; remove the bot from some, or run a second bot with a token of its own for them',
  4012: 'Discord no longer speaks this version of its gateway; update Keepsake',
  4013: 'Discord refused the intents; update Keepsake',
  4014: 'the Message Content intent is not granted; switch it on in the Developer Portal (Bot, Privileged Gateway Intents), or set MESSAGE_CONTENT=0 to read only what is addressed to the bot',
};

/** The close code of a refused token; a response with status 401 means the same. */
export const CLOSE_AUTHENTICATION_FAILED = 4004;

/** Returns the error of a gateway close that ends the bot; null for one after which the library reconnects. */
export function fatalClose(code: number): ConfigError | null {
  const mend = FATAL_CLOSES[code];
  return mend === undefined ? null : new ConfigError([mend]);
}

/** Converts the error of a failed login to one that names the mend. */
export function loginError(error: unknown): KeepsakeError {
  const { code, message } = error instanceof Error ? (error as Error & { code?: unknown }) : { code: '', message: '' };
  if (code === 'TokenInvalid' || (error instanceof DiscordAPIError && error.status === 401))
    return fatalClose(CLOSE_AUTHENTICATION_FAILED) ?? new ConfigError([]);
  if (/disallowed intents/iu.test(message)) return fatalClose(4014) ?? new ConfigError([]);
  return new KeepsakeError(
    'unreachable',
    'Discord cannot be reached; check the network and DISCORD_API, then start again.',
    { cause: error },
  );
}

const FACT = 'starts';
/** So many starts in so many milliseconds look like a crash loop, which would use up the day's logins and have Discord reset the token. */
const QUICK_STARTS = 5;
const QUICK_MS = 300_000;
/** Logins reserved for a person who starts the bot by hand. */
const RESERVED_LOGINS = 5;

/** Records this start, and waits when several starts before it came in quick succession. */
export async function guardCrashLoop({ chatbot, clock, logger, options, sleep }: BotContext): Promise<void> {
  const starts = String((await chatbot.sessions.loadFact(FACT)) ?? '')
    .split(' ')
    .map(Number)
    .filter((at) => at > clock() - QUICK_MS && at <= clock());
  await chatbot.sessions.saveFact(FACT, [...starts, clock()].slice(-QUICK_STARTS).join(' '));
  if (starts.length < QUICK_STARTS) return;
  logger.warn(
    { starts: starts.length, pauseMs: options.crashPauseMs },
    'waiting before the login: several starts in quick succession',
  );
  await sleep(options.crashPauseMs);
}

/** Clears the record of starts after a run that ended cleanly. */
export async function clearStartRecord({ sessions }: Chatbot): Promise<void> {
  await sessions.saveFact(FACT, null);
}

/** The logins that Discord still allows today. */
type SessionStartLimit = { remaining: number; reset_after: number };

/**
 * Refuses to use up the day's logins.
 * @throws {KeepsakeError} `busy` when too few are left, naming when there will be more.
 */
export function guardLoginLimit({ remaining, reset_after: resetAfter }: SessionStartLimit): void {
  if (remaining > RESERVED_LOGINS) return;
  const hours = Math.ceil(resetAfter / 3_600_000);
  throw new KeepsakeError(
    'busy',
    `Discord allows only ${remaining} more logins; find out why the bot keeps starting, and start it in ${hours} h.`,
  );
}
