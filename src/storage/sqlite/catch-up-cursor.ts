import { and, desc, eq, sql } from 'drizzle-orm';
import { isForeignId } from '../../conversation/archive.js';
import type { Message } from '../../conversation/message.js';
import type { SessionStore } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { messages, sessions } from './schema.js';
import type { Statements } from './statements.js';

export function cursorVerbs({ cursor }: Statements, { read }: StoreAccess): Pick<SessionStore, 'missedSince'> {
  return { missedSince: (sessionId) => read(() => cursor.missedSince(sessionId)) };
}

/**
 * Prepares the cursor from which catch-up reads a session: the time of its newest stored message, or `gone_through` where
 * newer ones were deleted, so that those are not read from the platform again.
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
    /** Runs a deletion, and advances `gone_through` to the time of the session's newest message if that was deleted. */
    trackDeletion<T>(sessionId: string, run: () => T): T {
      const before = newest.get({ id: sessionId });
      const result = run();
      const at = receivedAt(before);
      if (at !== null && newest.get({ id: sessionId })?.seq !== before?.seq) {
        setGoneThrough(sessionId, Math.max(at, goneThrough(sessionId) ?? at));
      }
      return result;
    },
    /** Sets the cursor of a session that never held a message of its own. */
    begin(sessionId: string, at: number): void {
      if (sessionMissedSince(sessionId) === null) setGoneThrough(sessionId, at);
    },
  };
}

/** Returns the time of a session's newest stored message of a person; null when it was imported from another session. */
export function receivedAt(newest: Pick<Message, 'platformId' | 'createdAt'> | undefined): number | null {
  return newest === undefined || isForeignId(newest.platformId) ? null : newest.createdAt;
}

/**
 * Returns the time from which to read what a session missed: that of its newest stored message, which is recognized by its
 * id, or the millisecond after the newest deleted one; null when it never held any.
 */
export function missedSince(storedAt: number | null, goneThrough: number | null): number | null {
  if (goneThrough === null || (storedAt !== null && storedAt >= goneThrough)) return storedAt;
  return goneThrough + 1;
}
