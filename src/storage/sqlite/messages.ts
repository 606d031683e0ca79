import { and, asc, eq, gt, lte, ne, sql } from 'drizzle-orm';
import type { Message, NewMessage } from '../../conversation/message.js';
import type { Database } from './database.js';
import { prepareInsert } from './insert.js';
import type { Participants } from './participants.js';
import { toMessage, toRow } from './rows.js';
import { messages, tombstones } from './schema.js';
import type { Seqs } from './seqs.js';
import type { Sessions } from './sessions.js';

/** Prepares what concerns single messages. */
export function prepareMessages(db: Database, sessions: Sessions, seqs: Seqs, participants: Participants) {
  const insert = prepareInsert(db);
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

  function append(message: NewMessage): Message | null {
    if (buried.get({ sessionId: message.sessionId, platformId: message.platformId }) !== undefined) return null;
    sessions.ensure(message.sessionId);
    const row = toRow(message, seqs.peek());
    if (insert.run(row).changes === 0) return null;
    seqs.take();
    participants.note(message.sessionId, [message]);
    return toMessage(row);
  }

  return {
    append,
    appendAll: (batch: readonly NewMessage[]): Message[] => batch.map(append).filter((message) => message !== null),
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
