import { isRebuildable } from '../erased.js';
import type { Client } from './database.js';
import { eraseMessages } from './erase.js';
import { forgetSession } from './forget.js';
import { type Lineage, missingRows, newGraves, takeEdits } from './lineage.js';
import type { Parts } from './parts.js';

/** What was kept from coming back: rows erased, rows that got their present text, sessions that were emptied. */
export type CarriedOver = { erased: number; edited: number; emptied: number };

/**
 * Applies to a restored database what was erased, edited and forgotten since in the one it replaces, which is attached
 * as `old`; in doubt a row does not come back. A transaction must be open.
 */
export function carryOver(client: Client, parts: Parts, lineage: Lineage, now: number): CarriedOver {
  const result: CarriedOver = { erased: 0, edited: 0, emptied: 0 };
  for (const session of lineage.sessions) {
    const { id, forgotten } = session;
    if (forgotten && !lineage.descends) {
      // Who was forgotten cannot be told from here: the two have gone separate ways.
      forgetSession(parts, id);
      result.emptied += 1;
      continue;
    }
    const gone = lineage.descends ? missingRows(client, session, lineage.inDoubt || forgotten) : [];
    result.erased += eraseRows(parts, id, gone, now);
    const edited = takeEdits(client, id);
    result.edited += edited.length;
    const swept = forgotten && parts.sessions.state(id).sweptThrough > 0 ? [0] : [];
    distrust(parts, id, [...gone.map(({ seq }) => seq), ...edited, ...swept]);
  }
  for (const [sessionId, ids] of newGraves(client)) {
    const named = ids.map((platformId) => ({ platformId, role: 'user' }));
    result.erased += eraseRows(parts, sessionId, named, now);
  }
  if (lineage.descends) forgetParticipants(client);
  return result;
}

/** Lets go of the names of people who were forgotten since; those who took part and were not are known to the old one. */
function forgetParticipants(client: Client): void {
  const known = client.prepare("select 1 from old.sqlite_master where name = 'participants'").get();
  if (known === undefined) return;
  client.exec(
    'delete from participants where not exists (select 1 from old.participants known ' +
      'where known.author_id = participants.author_id and known.session_id = participants.session_id)',
  );
}

function eraseRows(
  parts: Parts,
  sessionId: string,
  rows: readonly { platformId: string; role: string }[],
  now: number,
): number {
  if (rows.length === 0) return 0;
  const said = rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId);
  const erased = eraseMessages(parts, sessionId, said, now);
  let total = erased.messages + erased.answers;
  const shown = said.map((id) => parts.deliveries.answeredBy(sessionId, id)).filter((id) => id !== null);
  const answers = rows.filter(({ role }) => role === 'assistant').map(({ platformId }) => platformId);
  for (const id of [...answers, ...shown]) total += parts.deliveries.eraseAnswer(sessionId, id).answers;
  distrust(parts, sessionId, []);
  return total;
}

/** Marks the summaries over changed rows; those that rows cannot restore are dropped. */
function distrust({ marks, summaries, writes, sessions }: Parts, sessionId: string, seqs: readonly number[]): void {
  if (seqs.length > 0) {
    marks.dirty(sessionId, seqs);
    sessions.revise(sessionId);
  }
  const { sweptThrough } = sessions.state(sessionId);
  const all = summaries.ofSession(sessionId);
  const mark = all.findLast(({ dirty }) => dirty);
  const clean = all.findLast(({ dirty }) => !dirty) ?? null;
  if (mark !== undefined && !isRebuildable(mark, clean, sweptThrough)) writes.drop(mark.id);
}
