import { and, eq, ne } from 'drizzle-orm';
import { cleanText } from '../../conversation/message.js';
import type { Database } from './database.js';
import type { Marks } from './marks.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';

/** Replaces what a person said, and what replies quote of it; true when anything was changed. */
export function editMessage(
  { db, sessions, marks }: { db: Database; sessions: Sessions; marks: Marks },
  sessionId: string,
  platformId: string,
  text: string,
): boolean {
  const clean = cleanText(text);
  const uncounted = { tokens: null, encoding: null };
  const seq = { seq: messages.seq };
  const ours = eq(messages.sessionId, sessionId);
  const said = and(ours, eq(messages.platformId, platformId), eq(messages.role, 'user'), ne(messages.text, clean));
  const quoting = and(ours, eq(messages.quotePlatformId, platformId), ne(messages.quoteText, clean));
  const changed = [
    ...db
      .update(messages)
      .set({ text: clean, ...uncounted })
      .where(said)
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
  marks.dirty(sessionId, changed);
  sessions.revise(sessionId);
  return true;
}
