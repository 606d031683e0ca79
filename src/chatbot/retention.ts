import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '../conversation/clock.js';
import type { Session } from '../conversation/session.js';
import { dayOf } from '../conversation/store.js';
import { maxReach } from '../memory/plan.js';
import type { Dependencies } from './dependencies.js';
import { eachSession } from './sessions.js';
import { strategyFor } from './settings.js';

/** Rows deleted at once, few enough not to block the event loop. */
const SLICE = 200;
/** Days for which accounts of used tokens are kept. */
const ACCOUNT_DAYS = 62;

/** Deletes, in every session, what retention no longer keeps; resolves with the number of rows deleted. */
export async function sweepAll(deps: Dependencies): Promise<number> {
  let deleted = 0;
  for await (const session of eachSession(deps.store)) {
    deleted += await sweepSession(deps, session);
    await setImmediate();
  }
  await deps.store.sweepTombstones(deps.clock() - Math.max(deps.options.retentionDays, 1) * DAY_MS);
  await deps.store.sweepUsage(dayOf(deps.clock() - ACCOUNT_DAYS * DAY_MS));
  return deleted;
}

/**
 * Deletes rows of one session that have been covered, or out of the strategy's reach, for the retention. A strategy that was
 * set within the retention has not been in force long enough for rows to be out of its reach.
 */
async function sweepSession(deps: Dependencies, session: Session): Promise<number> {
  const cutoff = deps.clock() - deps.options.retentionDays * DAY_MS;
  const strategy = await strategyFor(deps.store, session);
  const unreachedBelow =
    strategy.since <= cutoff ? await deps.store.reachedFrom(session.id, maxReach(strategy.value), cutoff) : null;
  let deleted = 0;
  for (;;) {
    const slice = await deps.store.sweep(session.id, { coveredUntil: cutoff, unreachedBelow }, SLICE);
    deleted += slice;
    if (slice < SLICE) return deleted;
    await setImmediate();
  }
}

/** With a retention of 0 days, sweeps a session whose turn has ended; after a failure the hourly sweep deletes the rest. */
export async function sweepAfterTurn(deps: Dependencies, session: Session): Promise<void> {
  if (deps.options.retentionDays > 0) return;
  await sweepSession(deps, session).catch((error) =>
    deps.logger.warn({ sessionId: session.id, error }, 'failed to sweep a session'),
  );
}
