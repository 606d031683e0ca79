import type { ImportedSummary } from '../../conversation/archive.js';
import type { NewMessage } from '../../conversation/message.js';
import { placedSummaries } from '../imported.js';
import { readFacts } from './facts.js';
import type { Parts } from './parts.js';

/** Stores a conversation in a session that holds nothing; null when it holds anything. */
export function importSession(
  { db, sessions, seqs, summaries, messages, writes, folding }: Parts,
  sessionId: string,
  rows: readonly NewMessage[],
  given: readonly ImportedSummary[],
): number | null {
  const facts = readFacts(db, sessions, summaries, sessionId);
  if (facts.messages > 0 || facts.summaries.length > 0) return null;
  sessions.ensure(sessionId);
  const base = seqs.take();
  const stored = rows.map((row) => messages.append(row)?.seq ?? null);
  for (const summary of placedSummaries(sessionId, given, stored, base)) writes.add(summary);
  if (given.some(({ beyond }) => beyond)) sessions.setSweptThrough(sessionId, base);
  folding.dropUseless(sessionId);
  sessions.revise(sessionId);
  return stored.filter((seq) => seq !== null).length;
}
