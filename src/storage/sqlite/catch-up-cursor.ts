import { and, desc, eq, sql } from 'drizzle-orm';
import { isForeignId } from '../../conversation/archive.js';
import type { Message } from '../../conversation/message.js';
import type { SessionStore } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import { messages, sessions } from './schema.js';
import type { Statements } from './statements.js';
import type { Access } from './write-queue.js';

/** The verb that tells catch-up from when on to read a session. */
export function cursorVerbs({ cursor }: Statements, { read }: Access): Pick<SessionStore, 'missedSince'> {
  return { missedSince: (sessionId) => read(() => cursor.missedSince(sessionId)) };
}

/**
 * Prepares how far each session has received what was said in it. Its newest stored message tells; `gone_through` tells it
 * where that was deleted, so that deleted messages are not read from the platform again.
 */
export function prepareCatchUpCursor(db: Database) {
  const id = sql.placeholder('id');
  const newest = db
    .select({ seq: messages.seq, platformId: messages.platformId, createdAt: messages.createdAt })
    .from(messages)
    .where(and(eq(messages.sessionId, id), eq(messages.role, 'user')))
    .orderBy(desc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  const gone = db.select({ through: sessions.goneThrough }).from(sessions).where(eq(sessions.id, id)).prepare();
  const goneThrough = (sessionId: string) => gone.get({ id: sessionId })?.through ?? null;
  const setGoneThrough = (sessionId: string, at: number) =>
    void db.update(sessions).set({ goneThrough: at }).where(eq(sessions.id, sessionId)).run();
  const sessionMissedSince = (sessionId: string) =>
    missedSince(receivedAt(newest.get({ id: sessionId })), goneThrough(sessionId));
  return {
    missedSince: sessionMissedSince,
    /** Runs what may delete messages of a session, and records the time of the newest one if that was among them. */
    trackDeletion<T>(sessionId: string, run: () => T): T {
      const before = newest.get({ id: sessionId });
      const result = run();
      const at = receivedAt(before);
      if (at !== null && newest.get({ id: sessionId })?.seq !== before?.seq) {
        setGoneThrough(sessionId, Math.max(at, goneThrough(sessionId) ?? at));
      }
      return result;
    },
    /** Sets the cursor of a session that has none yet. */
    begin(sessionId: string, at: number): void {
      if (sessionMissedSince(sessionId) === null) setGoneThrough(sessionId, at);
    },
  };
}

/** When the newest stored message of a person was said in its session; null when it was imported from another one. */
export function receivedAt(newest: Pick<Message, 'platformId' | 'createdAt'> | undefined): number | null {
  return newest === undefined || isForeignId(newest.platformId) ? null : newest.createdAt;
}

/**
 * From when on a session may have missed messages: the time of the newest stored one, which is known by its id, or the
 * millisecond after the newest deleted one; null when it never held any.
 */
export function missedSince(storedAt: number | null, goneThrough: number | null): number | null {
  if (goneThrough === null || (storedAt !== null && storedAt >= goneThrough)) return storedAt;
  return goneThrough + 1;
}
