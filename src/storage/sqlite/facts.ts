import { asc, desc, eq, sql } from 'drizzle-orm';
import type { SessionFacts } from '../../conversation/store.js';
import type { Database } from './database.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';

/** What is stored of a session, for reports; it counts rows, so no turn may ask for it. */
export function readFacts(db: Database, sessions: Sessions, summaries: Summaries, sessionId: string): SessionFacts {
  const { epoch, sweptThrough } = sessions.state(sessionId);
  const ours = eq(messages.sessionId, sessionId);
  const said = () => db.select({ at: messages.createdAt }).from(messages).where(ours).limit(1).$dynamic();
  const total = db.select({ rows: sql<number>`count(*)` }).from(messages).where(ours).get();
  return {
    epoch,
    messages: total?.rows ?? 0,
    sweptThrough,
    firstAt: said().orderBy(asc(messages.seq)).get()?.at ?? null,
    lastAt: said().orderBy(desc(messages.seq)).get()?.at ?? null,
    summaries: summaries.ofSession(sessionId),
  };
}
