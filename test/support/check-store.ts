import Sqlite from 'better-sqlite3';

/** A message row, as far as the checks need it. */
export type StoredMessage = {
  seq: number;
  sessionId: string;
  platformId: string;
  role: string;
  text: string;
  state: string;
};

/** A summary row, as far as the checks need it. */
export type StoredSummary = {
  id: number;
  sessionId: string;
  text: string;
  fromSeq: number;
  throughSeq: number;
  fromAt: number;
  throughAt: number;
  dirty: number;
};

/** What a database holds, read beside its writer or after it was killed. */
export type StoreContents = { messages: StoredMessage[]; summaries: StoredSummary[]; faults: string[] };

/** How texts can be told apart: every message holds one mark of its own, and a summary names the marks that it folded. */
export type Marks = { pattern: RegExp };

type Session = { id: string; sweptThrough: number };

/**
 * Reads a database file without changing it and names every promise that its rows break: the file is sound, each message
 * is stored once, an answer comes after its question, nothing that waits is covered, watermarks rise, each settled message
 * is live or covered by the one current summary, and (with marks) no summary tells what it did not fold or omits what it did.
 */
export function readStore(path: string, marks?: Marks): StoreContents {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const messages = db
      .prepare(
        'SELECT seq, session_id AS sessionId, platform_id AS platformId, role, text, state FROM messages ORDER BY seq',
      )
      .all() as StoredMessage[];
    const summaries = db
      .prepare(
        `SELECT id, session_id AS sessionId, text, from_seq AS fromSeq, through_seq AS throughSeq, from_at AS fromAt,
         through_at AS throughAt, dirty FROM summaries ORDER BY id`,
      )
      .all() as StoredSummary[];
    const sessions = db.prepare('SELECT id, swept_through AS sweptThrough FROM sessions').all() as Session[];
    const faults = [...fileFaults(db), ...identityFaults(messages)];
    for (const session of sessions) {
      const own = { messages: of(session, messages), summaries: of(session, summaries) };
      faults.push(
        ...[...turnFaults(session, own.messages), ...coverFaults(session, own, marks)].map(
          (fault) => `${session.id}: ${fault}`,
        ),
      );
    }
    return { messages, summaries, faults };
  } finally {
    db.close();
  }
}

/** The marks in a text, sorted. */
export function marksIn(text: string, { pattern }: Marks): string[] {
  return (text.match(new RegExp(pattern, 'gu')) ?? []).sort();
}

function of<T extends { sessionId: string }>(session: Session, rows: readonly T[]): T[] {
  return rows.filter(({ sessionId }) => sessionId === session.id);
}

function fileFaults(db: Sqlite.Database): string[] {
  const sound = (db.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check);
  const orphans = db.pragma('foreign_key_check') as unknown[];
  return [...sound.filter((line) => line !== 'ok'), ...orphans.map((row) => `orphan ${JSON.stringify(row)}`)];
}

function identityFaults(messages: readonly StoredMessage[]): string[] {
  const keys = messages.map(({ sessionId, platformId, role }) => `${sessionId} ${platformId} ${role}`);
  return keys.filter((key, i) => keys.indexOf(key) !== i).map((key) => `stored twice: ${key}`);
}

function turnFaults({ sweptThrough }: Session, messages: readonly StoredMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || message.seq <= sweptThrough) return [];
    const question = messages.find(({ role, platformId }) => role === 'user' && platformId === message.platformId);
    if (question === undefined) {
      return isAsked(message, messages) ? [] : [`answer ${message.seq} has no question`];
    }
    if (question.seq > message.seq) return [`answer ${message.seq} comes before its question`];
    const unequal = (question.state === 'pending') !== (message.state === 'pending');
    return unequal ? [`answer ${message.seq} is ${message.state}, its question ${question.state}`] : [];
  });
}

/** Whether a turn that has lost its last question by an erasure still has an earlier one. */
function isAsked({ seq }: StoredMessage, messages: readonly StoredMessage[]): boolean {
  const before = messages.filter((message) => message.seq < seq);
  const since = before.slice(before.findLastIndex(({ role }) => role === 'assistant') + 1);
  return since.some(({ state }) => state === 'answered');
}

function coverFaults(
  { sweptThrough }: Session,
  { messages, summaries }: { messages: readonly StoredMessage[]; summaries: readonly StoredSummary[] },
  marks: Marks | undefined,
): string[] {
  const faults: string[] = [];
  const clean = summaries.filter(({ dirty }) => dirty === 0);
  clean.forEach((summary, i) => {
    const { id, fromSeq, throughSeq } = summary;
    if (fromSeq > throughSeq || summary.fromAt > summary.throughAt) faults.push(`summary ${id} ends before it begins`);
    if (throughSeq <= (clean[i - 1]?.throughSeq ?? 0)) faults.push(`summary ${id} moves the watermark back`);
    if (fromSeq !== clean[0]?.fromSeq) faults.push(`summary ${id} does not begin where the first one does`);
    const covered = messages.filter(({ seq }) => seq >= fromSeq && seq <= throughSeq);
    if (covered.some(({ state }) => state === 'pending')) faults.push(`summary ${id} covers what still waits`);
    if (marks === undefined || fromSeq <= sweptThrough) return;
    const folded = covered.flatMap(({ text }) => marksIn(text, marks)).sort();
    const told = marksIn(summary.text, marks);
    if (told.join() !== folded.join()) faults.push(`summary ${id} tells [${told}] for [${folded}]`);
  });
  const current = clean.at(-1);
  const missed = messages.filter(
    ({ seq }) => current !== undefined && seq <= current.throughSeq && seq < current.fromSeq,
  );
  return [...faults, ...missed.map(({ seq }) => `message ${seq} is neither live nor covered`)];
}
