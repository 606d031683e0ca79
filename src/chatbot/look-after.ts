import type { Session } from '../conversation/session.js';
import type { Compaction } from './compaction.js';

/**
 * Does what may leave a summary dirty. When it fails, nobody knows how much of it is stored, so that the session is looked
 * at in any case: a dirty summary must not stay for want of a rebuild.
 */
export async function lookAfter<T>(compaction: Compaction, session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    compaction.enqueue(session);
    throw error;
  }
}
