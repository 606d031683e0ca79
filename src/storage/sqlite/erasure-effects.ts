import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import { isRebuildable, type Summaries } from './summaries.js';

/** Prepares what follows from an erasure: tombstones, removed quotes and dirty summaries. */
export function prepareErasureEffects(db: Database, sessions: Sessions, summaries: Summaries) {
  function unquote(sessionId: string, quoting: SQL): number[] {
    const noQuote = { quotePlatformId: null, quoteAuthorId: null, quoteAuthorName: null, quoteText: null };
    return db
      .update(messages)
      .set({ ...noQuote, tokens: null, encoding: null })
      .where(and(eq(messages.sessionId, sessionId), quoting))
      .returning({ seq: messages.seq })
      .all()
      .map(({ seq }) => seq);
  }

  return {
    /** Removes the quotes of messages; returns the rows that carried them. */
    unquoteMessages: (sessionId: string, platformIds: readonly string[]): number[] =>
      unquote(sessionId, inList(messages.quotePlatformId, jsonList(platformIds))),
    /** Removes the quotes of a person; returns the rows that carried them, oldest first, with the name they quoted. */
    unquoteAuthor(sessionId: string, authorId: string): { seq: number; name: string | null }[] {
      const { seq, quoteAuthorName: name } = messages;
      const theirs = eq(messages.quoteAuthorId, authorId);
      const quoting = db
        .select({ seq, name })
        .from(messages)
        .where(and(eq(messages.sessionId, sessionId), theirs))
        .orderBy(asc(seq))
        .all();
      unquote(sessionId, theirs);
      return quoting;
    },
    /** Adds tombstones, so that messages which come late or again are not stored; `at` is in milliseconds since 1970. */
    addTombstones(sessionId: string, erased: readonly { platformId: string; at: number }[]): void {
      const list = JSON.stringify(erased.map(({ platformId, at }) => [platformId, at]));
      const rows = sql`select ${sessionId}, value ->> 0, value ->> 1 from json_each(${list}) where true`;
      db.run(sql`insert into ${tombstones} (session_id, platform_id, at) ${rows} on conflict do nothing`);
    },
    /** Returns those of the ids that have a tombstone. */
    tombstonesAmong: (sessionId: string, platformIds: readonly string[]): Set<string> =>
      new Set(
        db
          .select({ id: tombstones.platformId })
          .from(tombstones)
          .where(and(eq(tombstones.sessionId, sessionId), inList(tombstones.platformId, jsonList(platformIds))))
          .all()
          .map(({ id }) => id),
      ),
    /** Makes the summaries dirty that reach the lowest of the changed rows; tells whether rows can rebuild them. */
    markDirty(sessionId: string, changed: readonly number[]): Pick<Erased, 'dirtied' | 'unrebuildable'> {
      const lowest = changed.reduce((min, seq) => Math.min(min, seq), Number.POSITIVE_INFINITY);
      const replaced = changed.length === 0 ? null : summaries.replaceByDirty(sessionId, lowest);
      if (replaced === null) return { dirtied: 0, unrebuildable: null };
      const { before, dirty, dirtied } = replaced;
      const { sweptThrough } = sessions.state(sessionId);
      const { summary: clean } = summaries.newest(sessionId);
      const unrebuildable = isRebuildable(dirty, clean, sweptThrough) ? null : { ...dirty, text: before.text };
      return { dirtied, unrebuildable };
    },
  };
}
