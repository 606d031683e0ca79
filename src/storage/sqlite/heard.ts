import { and, desc, eq, sql } from 'drizzle-orm';
import { heardAt, unheardFrom } from '../unheard.js';
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
    .select({ seq: messages.seq, platformId: messages.platformId, createdAt: messages.createdAt })
    .from(messages)
    .where(and(eq(messages.sessionId, id), eq(messages.role, 'user')))
    .orderBy(desc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  const gone = db.select({ through: sessions.goneThrough }).from(sessions).where(eq(sessions.id, id)).prepare();
  const write = (sessionId: string, goneThrough: number) =>
    void db.update(sessions).set({ goneThrough }).where(eq(sessions.id, sessionId)).run();
  const heardFrom = (sessionId: string): number | null =>
    unheardFrom(heardAt(newest.get({ id: sessionId })), gone.get({ id: sessionId })?.through ?? null);
  return {
    /** Lets a verb delete messages, and keeps in mind how new the newest of them was. */
    across<T>(sessionId: string, erase: () => T): T {
      const before = newest.get({ id: sessionId });
      const result = erase();
      const at = heardAt(before);
      if (at !== null && newest.get({ id: sessionId })?.seq !== before?.seq) {
        write(sessionId, Math.max(at, gone.get({ id: sessionId })?.through ?? at));
      }
      return result;
    },
    /** Lets a session that never held a message of its own have heard what was said in it until a time. */
    begin(sessionId: string, until: number): void {
      if (heardFrom(sessionId) === null) write(sessionId, until);
    },
    /** From when on a session may have missed something; null when it never held a message. */
    unheardFrom: heardFrom,
  };
}
