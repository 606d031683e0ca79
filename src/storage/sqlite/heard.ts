import { and, desc, eq, sql } from 'drizzle-orm';
import { unheardFrom } from '../unheard.js';
import type { Database } from './database.js';
import { limitOf } from './lists.js';
import { messages, sessions } from './schema.js';

/**
 * Prepares how far each session has heard what was said in it, whether it still keeps that or not; every session is asked
 * when what was missed is read.
 */
export function prepareHeard(db: Database) {
  const id = sql.placeholder('id');
  const newest = db
    .select({ seq: messages.seq, at: messages.createdAt })
    .from(messages)
    .where(and(eq(messages.sessionId, id), eq(messages.role, 'user')))
    .orderBy(desc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  const gone = db.select({ through: sessions.goneThrough }).from(sessions).where(eq(sessions.id, id)).prepare();
  return {
    /** Lets a verb delete messages, and keeps in mind how new the newest of them was. */
    across<T>(sessionId: string, erase: () => T): T {
      const before = newest.get({ id: sessionId });
      const result = erase();
      if (before !== undefined && newest.get({ id: sessionId })?.seq !== before.seq) {
        const goneThrough = Math.max(before.at, gone.get({ id: sessionId })?.through ?? before.at);
        db.update(sessions).set({ goneThrough }).where(eq(sessions.id, sessionId)).run();
      }
      return result;
    },
    /** From when on a session may have missed something; null when it never held a message. */
    unheardFrom(sessionId: string): number | null {
      const kept = newest.get({ id: sessionId })?.at ?? null;
      return unheardFrom(kept, gone.get({ id: sessionId })?.through ?? null);
    },
  };
}
