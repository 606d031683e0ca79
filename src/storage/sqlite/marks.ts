import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { isRebuildable } from '../erased.js';
import type { Database } from './database.js';
import { isAmong, listed } from './lists.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';
import type { SummaryWrites } from './summary-writes.js';

/** An erased message and the time until which its tombstone counts as laid, in milliseconds since 1970. */
type Grave = { platformId: string; at: number };

/** What an erasure leaves behind in what was derived from the erased text. */
export type Marks = ReturnType<typeof prepareMarks>;

/** Prepares the marks: tombstones, quotes taken back, dirty summaries. */
export function prepareMarks(db: Database, sessions: Sessions, summaries: Summaries, writes: SummaryWrites) {
  function unquote(sessionId: string, quoting: SQL): number[] {
    const nothing = { quotePlatformId: null, quoteAuthorId: null, quoteAuthorName: null, quoteText: null };
    return db
      .update(messages)
      .set({ ...nothing, tokens: null, encoding: null })
      .where(and(eq(messages.sessionId, sessionId), quoting))
      .returning({ seq: messages.seq })
      .all()
      .map(({ seq }) => seq);
  }

  return {
    /** Takes the quotes of messages back; resolves the rows that carried them. */
    unquoteMessages: (sessionId: string, platformIds: readonly string[]): number[] =>
      unquote(sessionId, isAmong(messages.quotePlatformId, listed(platformIds))),
    /** Takes the quotes of a person back; resolves the rows that carried them, oldest first, with the name they quoted. */
    unquoteAuthor(sessionId: string, authorId: string): { seq: number; name: string | null }[] {
      const { seq, quoteAuthorName: name } = messages;
      const theirs = eq(messages.quoteAuthorId, authorId);
      const ours = and(eq(messages.sessionId, sessionId), theirs);
      const quoting = db.select({ seq, name }).from(messages).where(ours).orderBy(asc(seq)).all();
      unquote(sessionId, theirs);
      return quoting;
    },
    /** Sees to it that these messages are not stored when they come late or again. */
    bury(sessionId: string, graves: readonly Grave[]): void {
      const list = JSON.stringify(graves.map(({ platformId, at }) => [platformId, at]));
      const rows = sql`select ${sessionId}, value ->> 0, value ->> 1 from json_each(${list}) where true`;
      db.run(sql`insert into ${tombstones} (session_id, platform_id, at) ${rows} on conflict do nothing`);
    },
    /** Ids among these that have a tombstone. */
    buried: (sessionId: string, platformIds: readonly string[]): Set<string> =>
      new Set(
        db
          .select({ id: tombstones.platformId })
          .from(tombstones)
          .where(and(eq(tombstones.sessionId, sessionId), isAmong(tombstones.platformId, listed(platformIds))))
          .all()
          .map(({ id }) => id),
      ),
    /** Marks the summaries that reach the lowest of the changed rows, and says which of them rows cannot restore. */
    dirty(sessionId: string, changed: readonly number[]): Pick<Erased, 'dirtied' | 'unrebuildable'> {
      if (changed.length === 0) return { dirtied: 0, unrebuildable: null };
      const { top, mark, dirtied } = writes.dirtyFrom(sessionId, lowest(changed));
      if (top === null || mark === null) return { dirtied: 0, unrebuildable: null };
      const { sweptThrough } = sessions.state(sessionId);
      const { summary: clean } = summaries.newest(sessionId);
      return { dirtied, unrebuildable: isRebuildable(mark, clean, sweptThrough) ? null : { ...mark, text: top.text } };
    },
  };
}

function lowest(seqs: readonly number[]): number {
  return seqs.reduce((min, seq) => Math.min(min, seq), Number.POSITIVE_INFINITY);
}
