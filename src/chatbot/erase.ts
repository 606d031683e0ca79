import type { Session } from '../conversation/session.js';
import type { Compaction } from './compaction.js';
import { lookAfter } from './look-after.js';
import type { Parts } from './parts.js';

/** Erases what platform messages hold, questions or shown answers; summaries over them are rebuilt. */
export async function eraseShown(
  { store, clock }: Parts,
  compaction: Compaction,
  given: Session,
  platformIds: readonly string[],
): Promise<void> {
  // A door may not know of a thread's channel, whose settings count in a rebuild.
  const session = (await store.findSession(given.id)) ?? given;
  const dirtied = await lookAfter(compaction, session, async () => {
    let summaries = (await store.erase(session.id, platformIds, clock())).dirtied;
    for (const id of platformIds) {
      const question = await store.answeredBy(session.id, id);
      if (question !== null) summaries += (await store.eraseAnswer(session.id, question)).dirtied;
    }
    return summaries;
  });
  if (dirtied > 0) compaction.enqueue(session);
}
