import { and, eq, sql } from 'drizzle-orm';
import type { Message, NewMessage, TokenCount } from '../../conversation/message.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Database } from './connection.js';
import { prepareInsert, toMessage, toRow } from './rows.js';
import { messages, tombstones } from './schema.js';
import type { Statements } from './statements.js';
import type { Access } from './write-queue.js';

export function messageWriteVerbs(
  { db, sessions, seqs, participants }: Statements,
  { write }: Access,
): Pick<ConversationStore, 'append' | 'appendAll' | 'saveCounts'> {
  const insert = prepareInsert(db);
  const saveCounts = prepareSaveCounts(db);
  const tombstone = db
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
    const { sessionId, platformId } = message;
    if (tombstone.get({ sessionId, platformId }) !== undefined) return null;
    sessions.ensure(sessionId);
    const row = toRow(message, seqs.peek());
    if (insert.run(row).changes === 0) return null;
    seqs.take();
    participants.note(sessionId, [message]);
    return toMessage(row);
  }

  return {
    append: (message) => write('append', () => append(message)),
    appendAll: (batch) => write('append', () => batch.map(append).filter((message) => message !== null)),
    saveCounts: (counts) => write('counts', () => saveCounts(counts)),
  };
}

/** Prepares the writing of token counts; one is ignored for a message that is gone, or whose text or quote has changed since. */
export function prepareSaveCounts(db: Database): (counts: readonly TokenCount[]) => void {
  const any = sql.placeholder('any');
  const sameText = sql`${messages.text} = ${sql.placeholder('text')}`;
  const sameQuote = sql`${messages.quoteText} is ${sql.placeholder('quoteText')}`;
  const update = db
    .update(messages)
    .set({ tokens: sql`${sql.placeholder('tokens')}`, encoding: sql`${sql.placeholder('encoding')}` })
    .where(and(eq(messages.seq, sql.placeholder('seq')), sql`(${any} or (${sameText} and ${sameQuote}))`))
    .prepare();
  return (counts) => {
    for (const { seq, tokens, encoding, countedText } of counts) {
      const { text, quoteText } = countedText ?? { text: null, quoteText: null };
      update.run({ seq, tokens, encoding, any: countedText === undefined ? 1 : 0, text, quoteText });
    }
  };
}
