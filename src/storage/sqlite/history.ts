import { and, asc, count, desc, eq, gt, lt, lte, ne, sql } from 'drizzle-orm';
import { createReachCounter, type History, type Reach } from '../../conversation/history.js';
import type { Message } from '../../conversation/message.js';
import type { ConversationStore } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { toMessage, toMessages } from './rows.js';
import { messages } from './schema.js';
import type { Statements } from './statements.js';

export function historyVerbs(
  { db, sessions, summaries }: Statements,
  { read }: StoreAccess,
): Pick<ConversationStore, 'loadHistory' | 'loadSpan' | 'reachedFrom' | 'sessionFacts'> {
  const scan = prepareScan(db);
  const firstPending = prepareFirstPending(db);

  function load(sessionId: string, reach: Reach, beforeSeq = Number.MAX_SAFE_INTEGER): History {
    const { epoch, revision } = sessions.state(sessionId);
    const { summary, dirtyThrough } = reach.summary ? summaries.newest(sessionId) : NO_SUMMARY;
    const before = Math.min(beforeSeq, firstPending(sessionId) ?? beforeSeq);
    const floor = summary?.throughSeq ?? 0;
    const { found, complete } = scan({ sessionId, reach, floor, before, until: Number.MAX_SAFE_INTEGER });
    return { sessionId, epoch, revision, summary, messages: found.reverse(), complete, dirtyThrough };
  }

  function reachedFrom(sessionId: string, reach: Reach, at: number): number | null {
    if (!isLimited(reach)) return null;
    const floor = reach.summary ? summaries.watermarkAt(sessionId, at) : 0;
    const { found, complete } = scan({ sessionId, reach, floor, before: Number.MAX_SAFE_INTEGER, until: at });
    return complete ? null : (found.at(-1)?.seq ?? null);
  }

  return {
    loadHistory: (sessionId, reach, beforeSeq) => read(() => load(sessionId, reach, beforeSeq)),
    reachedFrom: (sessionId, reach, at) => read(() => reachedFrom(sessionId, reach, at)),
    loadSpan: (sessionId, afterSeq, throughSeq, limit) =>
      read(() =>
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
      ),
    sessionFacts: (sessionId) =>
      read(() => {
        const { epoch, sweptThrough } = sessions.state(sessionId);
        const total = db.select({ rows: count() }).from(messages).where(eq(messages.sessionId, sessionId)).get();
        return { epoch, messages: total?.rows ?? 0, sweptThrough, summaries: summaries.ofSession(sessionId) };
      }),
  };
}

const NO_SUMMARY = { summary: null, dirtyThrough: null };

/** A reach without a limit covers everything above the watermark. */
function isLimited({ messages: most, tokens, turns }: Reach): boolean {
  return most !== undefined || tokens !== undefined || turns !== undefined;
}

/** Prepares a query for the `seq` of a session's first pending message. */
export function prepareFirstPending(db: Database): (sessionId: string) => number | null {
  const first = db
    .select({ seq: sql<number | null>`min(${messages.seq})` })
    .from(messages)
    .where(and(eq(messages.sessionId, sql.placeholder('sessionId')), sql`${messages.state} = 'pending'`))
    .prepare();
  return (sessionId) => first.get({ sessionId })?.seq ?? null;
}

/** The settled messages to scan, newest first: `floor` < seq < `before`, created until `until`. */
type Range = { sessionId: string; reach: Reach; floor: number; before: number; until: number };

/**
 * Prepares a scan that ends where the reach is passed, and so costs a few pages of rows, however many are stored. `complete`
 * tells that the range holds no older row.
 */
function prepareScan(db: Database): (range: Range) => { found: Message[]; complete: boolean } {
  const page = db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sql.placeholder('sessionId')),
        lt(messages.seq, sql.placeholder('before')),
        gt(messages.seq, sql.placeholder('floor')),
        lte(messages.createdAt, sql.placeholder('until')),
        ne(messages.state, 'pending'),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(limitOf(sql.placeholder('limit')))
    .prepare();
  return ({ sessionId, reach, floor, before, until }) => {
    const passes = createReachCounter(reach);
    const found: Message[] = [];
    let passed = false;
    for (let limit = firstPageSize(reach), below = before; ; limit = nextPageSize(limit)) {
      const rows = toMessages(page.values({ sessionId, before: below, floor, until, limit }));
      for (const row of rows) {
        if (passed) return { found, complete: false };
        found.push(row);
        passed = passes(row);
      }
      if (rows.length < limit) return { found, complete: true };
      below = found.at(-1)?.seq ?? 0;
    }
  };
}

const DEFAULT_PAGE_SIZE = 64;
const MAX_PAGE_SIZE = 1024;
/** Tokens that a row is assumed to have at least; where rows have less, a second page is read. */
const TOKENS_PER_ROW = 80;

/** The rows that the reach asks for, one to pass it and one to see that there is more. */
function firstPageSize({ messages, tokens }: Reach): number {
  const wanted = Math.min(messages ?? Number.POSITIVE_INFINITY, (tokens ?? Number.POSITIVE_INFINITY) / TOKENS_PER_ROW);
  return Number.isFinite(wanted) ? Math.min(Math.max(Math.ceil(wanted), 0) + 2, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
}

function nextPageSize(size: number): number {
  return Math.min(Math.max(size, DEFAULT_PAGE_SIZE) * 2, MAX_PAGE_SIZE);
}
