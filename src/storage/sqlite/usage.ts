import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Ledger, Payer, Used } from '../../conversation/usage.js';
import { isWithin } from '../limits.js';
import type { Database } from './database.js';
import type { Parts } from './parts.js';
import { usage } from './schema.js';
import type { Add, Read } from './verbs.js';

/** Readings and writes of the accounts. */
export type UsageRows = ReturnType<typeof prepareUsage>;

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

/** The verbs about what was used. */
export function usageVerbs({ usage: accounts }: Parts, read: Read, add: Add): Ledger {
  return {
    reserve: (payer, tokens, limits) =>
      add({
        name: 'reserve',
        run: () => {
          const used = accounts.used(payer);
          const granted = isWithin(used, tokens, limits);
          if (granted) accounts.charge(payer, tokens, 0);
          return { ...used, granted };
        },
      }),
    settle: (payer, reserved, tokens) =>
      add({ name: 'settle-usage', run: () => accounts.charge(payer, tokens - reserved, 1) }),
    used: (of) => read(() => accounts.used(of)),
    account: (scopeId, fromDay) => read(() => accounts.account(scopeId, fromDay)),
    resetUsage: (scopeId, day) => add({ name: 'reset-usage', run: () => accounts.reset(scopeId, day) }),
    sweepUsage: (beforeDay) => add({ name: 'sweep', run: () => accounts.sweep(beforeDay) }),
  };
}
