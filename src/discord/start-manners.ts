import type { Chatbot } from '../chatbot/chatbot.js';
import { KeepsakeError } from '../conversation/errors.js';
import type { Door } from './door.js';

const FACT = 'starts';
/** So many starts within a while look like a crash loop, which would use up the day's logins and have Discord reset the token. */
const QUICK_STARTS = 5;
const WHILE_MS = 300_000;
/** Logins that are left for a person who starts the bot by hand. */
const LOGINS_KEPT = 5;

/** Notes this start, and waits when the starts before it came too quickly one after the other. */
export async function mindCrashLoop({ chatbot, clock, logger, options, pace }: Door): Promise<void> {
  const { places } = chatbot;
  const starts = String((await places.fact(FACT)) ?? '')
    .split(' ')
    .map(Number)
    .filter((at) => at > clock() - WHILE_MS && at <= clock());
  await places.saveFact(FACT, [...starts, clock()].slice(-QUICK_STARTS).join(' '));
  if (starts.length < QUICK_STARTS) return;
  logger.warn({ starts: starts.length }, 'started again and again, so this start waits');
  await pace.wait(options.crashPauseMs);
}

/** Forgets the starts after a run that ended as it should. */
export async function forgetStarts({ places }: Chatbot): Promise<void> {
  await places.saveFact(FACT, null);
}

/** Discord's own account of the logins that are left today. */
export type SessionStartLimit = { remaining: number; reset_after: number };

/**
 * Sees to it that the day's logins are never used up.
 * @throws {KeepsakeError} `busy` when too few are left, naming when there will be more.
 */
export function mindLogins({ remaining, reset_after: resetAfter }: SessionStartLimit): void {
  if (remaining > LOGINS_KEPT) return;
  const hours = Math.ceil(resetAfter / 3_600_000);
  throw new KeepsakeError(
    'busy',
    `Discord allows only ${remaining} more logins; find out why the bot keeps starting, and start it in ${hours} h.`,
  );
}
