import { type ImportedSummary, originalId } from '../../conversation/archive.js';
import type { NewSummary } from '../../conversation/history.js';
import type { NewMessage } from '../../conversation/message.js';
import { readFacts } from './history.js';
import { toRow } from './rows.js';
import type { Statements } from './statements.js';

/**
 * Gives imported summaries their place: `stored` holds the numbers of the messages that came with them, null for one
 * that was left out, and `base` is a number before all of them. A summary over one that was left out is dropped.
 */
export function placedSummaries(
  sessionId: string,
  summaries: readonly ImportedSummary[],
  stored: readonly (number | null)[],
  base: number,
): NewSummary[] {
  const whole = stored.indexOf(null);
  return summaries
    .filter(({ covers }) => whole === -1 || covers <= whole)
    .map(({ covers, beyond: _, ...rest }) => ({
      ...rest,
      sessionId,
      fromSeq: base,
      throughSeq: covers === 0 ? base : (stored[covers - 1] ?? base),
    }));
}

/** Stores a conversation in a session that holds nothing; null when it holds anything. */
export function importSession(
  parts: Statements,
  sessionId: string,
  rows: readonly NewMessage[],
  given: readonly ImportedSummary[],
  heardUntil: number,
): number | null {
  const { db, sessions, seqs, summaries, participants, writes, folding, heard } = parts;
  const facts = readFacts(db, sessions, summaries, sessionId);
  if (facts.messages > 0 || facts.summaries.length > 0) return null;
  sessions.ensure(sessionId);
  const base = seqs.take();
  const stored = insertAll(parts, sessionId, rows);
  participants.note(
    sessionId,
    rows.filter((_, i) => stored[i] !== null),
  );
  for (const summary of placedSummaries(sessionId, given, stored, base)) writes.add(summary);
  if (given.some(({ beyond }) => beyond)) sessions.setSweptThrough(sessionId, base);
  folding.dropUseless(sessionId);
  heard.begin(sessionId, heardUntil);
  sessions.revise(sessionId);
  return stored.filter((seq) => seq !== null).length;
}

/** Stores rows in a session that has none, and resolves their numbers; null for one that was erased here or comes twice. */
function insertAll(
  { bulk, marks, seqs }: Statements,
  sessionId: string,
  rows: readonly NewMessage[],
): (number | null)[] {
  const ids = rows.flatMap(({ platformId }) => [platformId, originalId(platformId)]);
  const buried = marks.tombstonesAmong(sessionId, ids);
  const seen = new Set<string>();
  return rows.map((row) => {
    const identity = `${row.role} ${row.platformId}`;
    if (buried.has(row.platformId) || buried.has(originalId(row.platformId)) || seen.has(identity)) return null;
    seen.add(identity);
    const seq = seqs.take();
    bulk(toRow({ ...row, sessionId }, seq));
    return seq;
  });
}
