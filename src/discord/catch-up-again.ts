import { attempt } from './catch-up.js';
import type { Door } from './door.js';
import { resumeTurns } from './resume.js';

/**
 * Tries again to catch up with the sessions that are owed, after the pauses of a request that failed and then at the
 * interval of turns that wait, for as long as one is owed and the bot runs; call the result to end that. Questions that
 * wait there are taken up once it has succeeded.
 */
export function keepCatchingUp(door: Door): () => void {
  const { pausesMs, retryMs } = door.options;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let tries = 0;
  const wait = () => {
    if (!ended) timer ??= setTimeout(tryAgain, pausesMs[tries] ?? retryMs).unref();
  };
  const tryAgain = async () => {
    await readOwed(door, () => ended);
    timer = null;
    const done = door.gaps.debts.all().length === 0;
    tries = done ? 0 : tries + 1;
    if (!done) wait();
  };
  door.gaps.debts.whenAdded(wait);
  if (door.gaps.debts.all().length > 0) wait();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Until one fails, which then comes last the next time: an outage costs one request, and a single channel holds up no other. */
async function readOwed(door: Door, isEnded: () => boolean): Promise<void> {
  let settled = false;
  for (const session of door.gaps.debts.all()) {
    if (isEnded() || !(await attempt(door, session))) break;
    settled = true;
  }
  if (!settled || isEnded()) return;
  void resumeTurns(door).catch((error) => door.logger.error({ error }, 'turns were not taken up'));
}
