import { and, asc, eq, gt, lte, ne, sql } from 'drizzle-orm';
import type { Message, NewMessage, TokenCount } from '../../conversation/message.js';
import type { Database } from './database.js';
import { prepareInsert } from './insert.js';
import { toMessage, toRow } from './rows.js';
import { messages, tombstones } from './schema.js';
import { participants } from './schema-community.js';
import type { Seqs } from './seqs.js';
import type { Sessions } from './sessions.js';

/** Prepares what concerns single messages. */
export function prepareMessages(db: Database, sessions: Sessions, seqs: Seqs) {
  const insert = prepareInsert(db);
  const takePart = prepareParticipation(db);
  const buried = db
    .select({ at: tombstones.at })
    .from(tombstones)
    .where(
      and(
        eq(tombstones.sessionId, sql.placeholder('sessionId')),
        eq(tombstones.platformId, sql.placeholder('platformId')),
      ),
    )
    .prepare();
  const count = prepareCount(db);

  function append(message: NewMessage): Message | null {
    if (buried.get({ sessionId: message.sessionId, platformId: message.platformId }) !== undefined) return null;
    sessions.ensure(message.sessionId);
    const row = toRow(message, seqs.peek());
    if (insert.run(row).changes === 0) return null;
    seqs.take();
    if (row.role === 'user') takePart.run(row);
    return toMessage(row);
  }

  return {
    append,
    appendAll: (batch: readonly NewMessage[]): Message[] => batch.map(append).filter((message) => message !== null),
    saveCounts(counts: readonly TokenCount[]): void {
      for (const item of counts) count.run({ text: null, ...item });
    },
    span: (sessionId: string, afterSeq: number, throughSeq: number, limit: number): Message[] =>
      db
        .select()
        .from(messages)
        .where(
          and(
            eq(messages.sessionId, sessionId),
            gt(messages.seq, afterSeq),
            lte(messages.seq, throughSeq),
            ne(messages.state, 'pending'),
          ),
        )
        .orderBy(asc(messages.seq))
        .limit(limit)
        .all()
        .map(toMessage),
  };
}

/** Notes once that a person has written in a session. */
function prepareParticipation(db: Database) {
  return db
    .insert(participants)
    .values({ authorId: sql.placeholder('authorId'), sessionId: sql.placeholder('sessionId') })
    .onConflictDoNothing()
    .prepare();
}

function prepareCount(db: Database) {
  return db
    .update(messages)
    .set({ tokens: sql`${sql.placeholder('tokens')}`, encoding: sql`${sql.placeholder('encoding')}` })
    .where(
      and(
        eq(messages.seq, sql.placeholder('seq')),
        sql`(${sql.placeholder('text')} is null or ${messages.text} = ${sql.placeholder('text')})`,
      ),
    )
    .prepare();
}
