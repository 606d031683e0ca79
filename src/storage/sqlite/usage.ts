import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Payer, Used } from '../../conversation/usage.js';
import type { Database } from './database.js';
import { usage } from './schema-community.js';

/** Prepares what concerns accounts. */
export function prepareUsage(db: Database) {
  const total = sql<number>`coalesce(sum(${usage.tokens}), 0)`;
  const ofDay = and(eq(usage.scopeId, sql.placeholder('scopeId')), eq(usage.day, sql.placeholder('day')));
  const server = db.select({ total }).from(usage).where(ofDay).prepare();
  const person = db
    .select({ total })
    .from(usage)
    .where(and(ofDay, eq(usage.authorId, sql.placeholder('authorId'))))
    .prepare();
  return {
    used: (of: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): Used => ({
      server: server.get(of)?.total ?? 0,
      person: person.get(of)?.total ?? 0,
    }),
    charge({ scopeId, day, authorId, sessionId }: Payer, tokens: number, calls: number): void {
      db.insert(usage)
        .values({ scopeId, day, authorId, sessionId, tokens, calls })
        .onConflictDoUpdate({
          target: [usage.scopeId, usage.day, usage.authorId, usage.sessionId],
          set: { tokens: sql`${usage.tokens} + ${tokens}`, calls: sql`${usage.calls} + ${calls}` },
        })
        .run();
    },
    account(scopeId: string, fromDay: string) {
      const { day, authorId, sessionId, tokens, calls } = usage;
      const since = and(eq(usage.scopeId, scopeId), gte(usage.day, fromDay));
      return db.select({ day, authorId, sessionId, tokens, calls }).from(usage).where(since).orderBy(asc(day)).all();
    },
    reset: (scopeId: string, day: string): void =>
      void db
        .delete(usage)
        .where(and(eq(usage.scopeId, scopeId), eq(usage.day, day)))
        .run(),
    sweep: (beforeDay: string): void => void db.delete(usage).where(lt(usage.day, beforeDay)).run(),
  };
}
