import { eq } from 'drizzle-orm';
import { type ArchiveStore, type ImportedSummary, originalId } from '../../conversation/archive.js';
import type { NewSummary } from '../../conversation/history.js';
import type { NewMessage } from '../../conversation/message.js';
import type { StoreAccess } from './group-commit.js';
import { toRow } from './rows.js';
import { messages } from './schema.js';
import type { Statements } from './statements.js';

export function archiveVerbs(statements: Statements, { write }: StoreAccess): ArchiveStore {
  const { db, sessions, seqs, summaries, participants, cursor } = statements;

  function holdsAnything(sessionId: string): boolean {
    const ours = eq(messages.sessionId, sessionId);
    const message = db.select({ seq: messages.seq }).from(messages).where(ours).limit(1).get();
    return message !== undefined || summaries.ofSession(sessionId).length > 0;
  }

  function importSession(
    sessionId: string,
    rows: readonly NewMessage[],
    imported: readonly ImportedSummary[],
    receivedUntil: number,
  ): number | null {
    if (holdsAnything(sessionId)) return null;
    sessions.ensure(sessionId);
    const base = seqs.take();
    const stored = insertAll(statements, sessionId, rows);
    participants.note(
      sessionId,
      rows.filter((_, i) => stored[i] !== null),
    );
    for (const summary of placedSummaries(sessionId, imported, stored, base)) summaries.add(summary);
    if (imported.some(({ beyond }) => beyond)) sessions.setSweptThrough(sessionId, base);
    summaries.dropSuperseded(sessionId);
    cursor.begin(sessionId, receivedUntil);
    sessions.raiseRevision(sessionId);
    return stored.filter((seq) => seq !== null).length;
  }

  return {
    importSession: (sessionId, rows, imported, receivedUntil) =>
      write('import', () => importSession(sessionId, rows, imported, receivedUntil)),
  };
}

/** Stores messages in a session that has none; returns their `seq`s, null for one that has a tombstone or comes twice. */
function insertAll(
  { bulkInsert, erasureEffects, seqs }: Statements,
  sessionId: string,
  rows: readonly NewMessage[],
): (number | null)[] {
  const ids = rows.flatMap(({ platformId }) => [platformId, originalId(platformId)]);
  const erased = erasureEffects.tombstonesAmong(sessionId, ids);
  const seen = new Set<string>();
  return rows.map((row) => {
    const identity = `${row.role} ${row.platformId}`;
    if (erased.has(row.platformId) || erased.has(originalId(row.platformId)) || seen.has(identity)) return null;
    seen.add(identity);
    const seq = seqs.take();
    bulkInsert(toRow({ ...row, sessionId }, seq));
    return seq;
  });
}

/**
 * Maps imported summaries to the `seq`s of the messages that came with them. A summary over a message that was left out (null
 * in `stored`) is dropped; one that covers none of them reaches to `base`, a `seq` below all.
 */
export function placedSummaries(
  sessionId: string,
  imported: readonly ImportedSummary[],
  stored: readonly (number | null)[],
  base: number,
): NewSummary[] {
  const firstLeftOut = stored.indexOf(null);
  return imported
    .filter(({ covers }) => firstLeftOut === -1 || covers <= firstLeftOut)
    .map(({ covers, beyond: _, ...rest }) => ({
      ...rest,
      sessionId,
      fromSeq: base,
      throughSeq: covers === 0 ? base : (stored[covers - 1] ?? base),
    }));
}
