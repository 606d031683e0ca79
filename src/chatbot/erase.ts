import type { Session } from '../conversation/session.js';
import type { Compaction } from './compaction.js';
import { lookAfter } from './look-after.js';
import type { Parts } from './parts.js';

/** Erases what platform messages hold, questions or shown answers; summaries over them are rebuilt. */
export async function eraseShown(
  { store, clock }: Parts,
  compaction: Compaction,
  session: Session,
  platformIds: readonly string[],
): Promise<void> {
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

/** Replaces a remembered message's text; summaries over it are rebuilt. False when nothing changed. */
export async function editRemembered(
  { store }: Parts,
  compaction: Compaction,
  session: Session,
  platformId: string,
  text: string,
): Promise<boolean> {
  const changed = await lookAfter(compaction, session, () => store.edit(session.id, platformId, text));
  if (changed) compaction.enqueue(session);
  return changed;
}
