import type { Session } from '../conversation/session.js';
import type { Parts } from './parts.js';

/** Erases what platform messages hold, questions or shown answers; resolves with the number of summaries made dirty. */
export async function eraseShown(
  { store, clock }: Parts,
  session: Session,
  platformIds: readonly string[],
): Promise<number> {
  let { dirtied } = await store.erase(session.id, platformIds, clock());
  for (const id of platformIds) {
    const question = await store.answeredBy(session.id, id);
    if (question !== null) dirtied += (await store.eraseAnswer(session.id, question)).dirtied;
  }
  return dirtied;
}
