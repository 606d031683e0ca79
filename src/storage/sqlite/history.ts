import { and, desc, eq, gt, lt, lte, ne, sql } from 'drizzle-orm';
import { isForeignId } from '../../conversation/archive.js';
import { type History, type Reach, reachCounter } from '../../conversation/history.js';
import type { Message } from '../../conversation/message.js';
import type { SessionFacts } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import { toMessages } from './rows.js';
import { messages, sessions } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';

const USUAL = 64;
const LARGEST = 1024;
/** What a row is expected to weigh at least; where rows weigh less, a second page is read. */
const TOKENS_PER_ROW = 80;

/** How many rows to read first: what the reach asks for, one to pass it and one to see that there is more. */
function pageSize({ messages, tokens }: Reach): number {
  const wanted = Math.min(messages ?? Number.POSITIVE_INFINITY, (tokens ?? Number.POSITIVE_INFINITY) / TOKENS_PER_ROW);
  return Number.isFinite(wanted) ? Math.min(Math.max(Math.ceil(wanted), 0) + 2, LARGEST) : USUAL;
}

/** How many rows to read when a page was not enough. */
function nextPageSize(size: number): number {
  return Math.min(Math.max(size, USUAL) * 2, LARGEST);
}

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));

/** How messages are read backwards: from below `before` down to above `floor`, those created until `until`. */
type Walk = { sessionId: string; reach: Reach; floor: number; before: number; until: number };

/** Readings of a session's settled past. */
export type Histories = ReturnType<typeof prepareHistories>;

/** Prepares the readings; each costs a few pages of rows, whatever else is stored. */
export function prepareHistories(db: Database, sessions: Sessions, summaries: Summaries) {
  const page = db
    .select()
    .from(messages)
    .where(
      and(
        SESSION,
        lt(messages.seq, sql.placeholder('before')),
        gt(messages.seq, sql.placeholder('floor')),
        lte(messages.createdAt, sql.placeholder('until')),
        ne(messages.state, 'pending'),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(limitOf(sql.placeholder('limit')))
    .prepare();
  const firstPending = prepareFirstPending(db);

  /** Newest first, until the reach is passed; `complete` when no row lies before the last one. */
  function walk({ sessionId, reach, floor, before, until }: Walk): { found: Message[]; complete: boolean } {
    const passed = reachCounter(reach);
    const found: Message[] = [];
    let stopped = false;
    for (let limit = pageSize(reach), from = before; ; limit = nextPageSize(limit)) {
      const rows = toMessages(page.values({ sessionId, before: from, floor, until, limit }));
      for (const row of rows) {
        if (stopped) return { found, complete: false };
        found.push(row);
        stopped = passed(row);
      }
      if (rows.length < limit) return { found, complete: true };
      from = found.at(-1)?.seq ?? 0;
    }
  }

  return {
    load(sessionId: string, reach: Reach, beforeSeq = Number.MAX_SAFE_INTEGER): History {
      const { epoch, revision } = sessions.state(sessionId);
      const { summary, dirtyThrough } = reach.summary ? summaries.newest(sessionId) : NO_SUMMARY;
      const before = Math.min(beforeSeq, firstPending.get({ sessionId })?.seq ?? beforeSeq);
      const floor = summary?.throughSeq ?? 0;
      const { found, complete } = walk({ sessionId, reach, floor, before, until: Number.MAX_SAFE_INTEGER });
      return { sessionId, epoch, revision, summary, messages: found.reverse(), complete, dirtyThrough };
    },
    reachedFrom(sessionId: string, reach: Reach, at: number): number | null {
      if (!isLimited(reach)) return null;
      const floor = reach.summary ? summaries.watermarkAt(sessionId, at) : 0;
      const { found, complete } = walk({ sessionId, reach, floor, before: Number.MAX_SAFE_INTEGER, until: at });
      return complete ? null : (found.at(-1)?.seq ?? null);
    },
    /** The first message that waits, which no summary may reach. */
    firstPending: (sessionId: string): number | null => firstPending.get({ sessionId })?.seq ?? null,
  };
}

function prepareFirstPending(db: Database) {
  return db
    .select({ seq: sql<number | null>`min(${messages.seq})` })
    .from(messages)
    .where(and(SESSION, sql`${messages.state} = 'pending'`))
    .prepare();
}

/** Without a limit all above the watermark is reached, however much that is. */
function isLimited({ messages: count, tokens, turns }: Reach): boolean {
  return count !== undefined || tokens !== undefined || turns !== undefined;
}

const NO_SUMMARY = { summary: null, dirtyThrough: null };

/** What is stored of a session, for reports; it counts rows, so no turn may ask for it. */
export function readFacts(db: Database, sessions: Sessions, summaries: Summaries, sessionId: string): SessionFacts {
  const { epoch, sweptThrough } = sessions.state(sessionId);
  const ours = eq(messages.sessionId, sessionId);
  const total = db.select({ rows: sql<number>`count(*)` }).from(messages).where(ours).get();
  return {
    epoch,
    messages: total?.rows ?? 0,
    sweptThrough,
    summaries: summaries.ofSession(sessionId),
  };
}

/** How far a session has heard by the newest message of a person that it keeps; null when that was said in another one. */
export function receivedAt(newest: Pick<Message, 'platformId' | 'createdAt'> | undefined): number | null {
  return newest === undefined || isForeignId(newest.platformId) ? null : newest.createdAt;
}

/**
 * From when on a session may have missed something: the time of the newest message that it keeps, which is known by its
 * id, or the millisecond after the newest that it let go; null when it never held one.
 */
export function missedSince(keptAt: number | null, goneThrough: number | null): number | null {
  if (goneThrough === null || (keptAt !== null && keptAt >= goneThrough)) return keptAt;
  return goneThrough + 1;
}

/**
 * Prepares how far each session has heard what was said in it, whether it still keeps that or not; every session is asked
 * when what was missed is read.
 */
export function prepareReceivedThrough(db: Database) {
  const id = sql.placeholder('id');
  const newest = db
    .select({ seq: messages.seq, platformId: messages.platformId, createdAt: messages.createdAt })
    .from(messages)
    .where(and(eq(messages.sessionId, id), eq(messages.role, 'user')))
    .orderBy(desc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  const gone = db.select({ through: sessions.goneThrough }).from(sessions).where(eq(sessions.id, id)).prepare();
  const write = (sessionId: string, goneThrough: number) =>
    void db.update(sessions).set({ goneThrough }).where(eq(sessions.id, sessionId)).run();
  const heardFrom = (sessionId: string): number | null =>
    missedSince(receivedAt(newest.get({ id: sessionId })), gone.get({ id: sessionId })?.through ?? null);
  return {
    /** Lets a verb delete messages, and keeps in mind how new the newest of them was. */
    trackDeletion<T>(sessionId: string, erase: () => T): T {
      const before = newest.get({ id: sessionId });
      const result = erase();
      const at = receivedAt(before);
      if (at !== null && newest.get({ id: sessionId })?.seq !== before?.seq) {
        write(sessionId, Math.max(at, gone.get({ id: sessionId })?.through ?? at));
      }
      return result;
    },
    /** Lets a session that never held a message of its own have heard what was said in it until a time. */
    begin(sessionId: string, until: number): void {
      if (heardFrom(sessionId) === null) write(sessionId, until);
    },
    /** From when on a session may have missed something; null when it never held a message. */
    unheardFrom: heardFrom,
  };
}
