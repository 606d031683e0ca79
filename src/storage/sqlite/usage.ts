import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Payer, TokenLimits, TokensUsed } from '../../conversation/store.js';
import type { Database } from './connection.js';
import { usage } from './schema.js';

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
  const charge = prepareCharge(db);
  return {
    used: (of: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): TokensUsed => ({
      server: server.get(of)?.total ?? 0,
      person: person.get(of)?.total ?? 0,
    }),
    charge: ({ scopeId, day, authorId, sessionId }: Payer, tokens: number, calls: number): void =>
      void charge.run({ scopeId, day, authorId, sessionId, tokens, calls }),
    account(scopeId: string, fromDay: string) {
      const { day, authorId, sessionId, tokens, calls } = usage;
      const since = and(eq(usage.scopeId, scopeId), gte(usage.day, fromDay));
      return db.select({ day, authorId, sessionId, tokens, calls }).from(usage).where(since).orderBy(asc(day)).all();
    },
    sweep: (beforeDay: string): void => void db.delete(usage).where(lt(usage.day, beforeDay)).run(),
  };
}

/** Adds to an account; prepared, since every answer charges one. */
function prepareCharge(db: Database) {
  const { scopeId, day, authorId, sessionId, tokens, calls } = usage;
  return db
    .insert(usage)
    .values({
      scopeId: sql.placeholder('scopeId'),
      day: sql.placeholder('day'),
      authorId: sql.placeholder('authorId'),
      sessionId: sql.placeholder('sessionId'),
      tokens: sql.placeholder('tokens'),
      calls: sql.placeholder('calls'),
    })
    .onConflictDoUpdate({
      target: [scopeId, day, authorId, sessionId],
      set: { tokens: sql`${tokens} + excluded.tokens`, calls: sql`${calls} + excluded.calls` },
    })
    .prepare();
}

/** Whether so many tokens more stay within the limits of a day. */
export function isWithin(used: TokensUsed, tokens: number, limits: TokenLimits): boolean {
  return (
    used.server + tokens <= (limits.server ?? Number.POSITIVE_INFINITY) &&
    used.person + tokens <= (limits.person ?? Number.POSITIVE_INFINITY)
  );
}
