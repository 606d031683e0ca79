import { and, eq, ne, sql } from 'drizzle-orm';
import { cleanText, type Message, type NewMessage, type TokenCount } from '../../conversation/message.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Database } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { prepareInsert, toMessage, toRow } from './rows.js';
import { messages, tombstones } from './schema.js';
import type { Statements } from './statements.js';

export function messageWriteVerbs(
  statements: Statements,
  { write }: StoreAccess,
): Pick<ConversationStore, 'append' | 'appendAll' | 'edit' | 'saveCounts'> {
  const { db, sessions, seqs, participants } = statements;
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
    edit: (sessionId, platformId, text) =>
      write('edit', () => editMessage(statements, sessionId, platformId, text), { erases: true }),
    saveCounts: (counts) => write('counts', () => saveCounts(counts)),
  };
}

function editMessage(
  { db, sessions, erasureEffects }: Statements,
  sessionId: string,
  platformId: string,
  text: string,
): boolean {
  const clean = cleanText(text);
  const uncounted = { tokens: null, encoding: null };
  const seq = { seq: messages.seq };
  const ours = eq(messages.sessionId, sessionId);
  const own = and(ours, eq(messages.platformId, platformId), eq(messages.role, 'user'), ne(messages.text, clean));
  const quoting = and(ours, eq(messages.quotePlatformId, platformId), ne(messages.quoteText, clean));
  const changed = [
    ...db
      .update(messages)
      .set({ text: clean, ...uncounted })
      .where(own)
      .returning(seq)
      .all(),
    ...db
      .update(messages)
      .set({ quoteText: clean, ...uncounted })
      .where(quoting)
      .returning(seq)
      .all(),
  ].map((row) => row.seq);
  if (changed.length === 0) return false;
  erasureEffects.markDirty(sessionId, changed);
  sessions.raiseRevision(sessionId);
  return true;
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
