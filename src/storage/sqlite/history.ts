import { and, desc, eq, gt, lt, lte, ne, sql } from 'drizzle-orm';
import { type History, type Reach, reachCounter } from '../../conversation/history.js';
import type { Message } from '../../conversation/message.js';
import { nextPageSize, pageSize } from '../pages.js';
import type { Database } from './database.js';
import { limitOf } from './lists.js';
import { toMessages } from './rows.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';

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
