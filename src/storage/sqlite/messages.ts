import { and, asc, eq, gt, lte, ne, sql } from 'drizzle-orm';
import type { Message, NewMessage, TokenCount } from '../../conversation/message.js';
import type { Database } from './connection.js';
import type { Participants } from './people.js';
import { prepareInsert, type SeqCounter, toMessage, toRow } from './rows.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';

/** Prepares what concerns single messages. */
export function prepareMessages(db: Database, sessions: Sessions, seqs: SeqCounter, participants: Participants) {
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

/** Writes counts; one is void for a message that is gone, or whose text or quote is another by now. */
export type SaveCounts = (counts: readonly TokenCount[]) => void;

/** Prepares the writing of counts. */
export function prepareCounts(db: Database): SaveCounts {
  const any = sql.placeholder('any');
  const text = sql`${messages.text} = ${sql.placeholder('text')}`;
  const quote = sql`${messages.quoteText} is ${sql.placeholder('quoteText')}`;
  const write = db
    .update(messages)
    .set({ tokens: sql`${sql.placeholder('tokens')}`, encoding: sql`${sql.placeholder('encoding')}` })
    .where(and(eq(messages.seq, sql.placeholder('seq')), sql`(${any} or (${text} and ${quote}))`))
    .prepare();
  return (counts) => {
    for (const { seq, tokens, encoding, countedText } of counts) {
      const { text, quoteText } = countedText ?? { text: null, quoteText: null };
      write.run({ seq, tokens, encoding, any: countedText === undefined ? 1 : 0, text, quoteText });
    }
  };
}
