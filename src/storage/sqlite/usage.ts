import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Payer, TokenLimits, TokensUsed, UsageStore } from '../../conversation/store.js';
import type { Database } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { usage } from './schema.js';
import type { Statements } from './statements.js';

const { scopeId, day, authorId, sessionId, tokens, calls } = usage;

export function usageVerbs({ db }: Statements, { read, write }: StoreAccess): UsageStore {
  const used = prepareUsed(db);
  const charge = prepareCharge(db);
  return {
    reserve: (payer, reserved, limits) =>
      write('reserve', () => {
        const before = used(payer);
        const granted = isWithin(before, reserved, limits);
        if (granted) charge(payer, reserved, 0);
        return { ...before, granted };
      }),
    settle: (payer, reserved, cost) => write('settle-usage', () => charge(payer, cost - reserved, 1)),
    used: (payer) => read(() => used(payer)),
    account: (scope, fromDay) =>
      read(() =>
        db
          .select({ day, authorId, sessionId, tokens, calls })
          .from(usage)
          .where(and(eq(scopeId, scope), gte(day, fromDay)))
          .orderBy(asc(day))
          .all(),
      ),
    sweepUsage: (beforeDay) => write('sweep', () => void db.delete(usage).where(lt(day, beforeDay)).run()),
  };
}

/** Tells whether more tokens stay within the limits of a day. */
export function isWithin(used: TokensUsed, more: number, limits: TokenLimits): boolean {
  return (
    used.server + more <= (limits.server ?? Number.POSITIVE_INFINITY) &&
    used.person + more <= (limits.person ?? Number.POSITIVE_INFINITY)
  );
}

function prepareUsed(db: Database): (payer: Pick<Payer, 'scopeId' | 'authorId' | 'day'>) => TokensUsed {
  const total = sql<number>`coalesce(sum(${tokens}), 0)`;
  const ofDay = and(eq(scopeId, sql.placeholder('scopeId')), eq(day, sql.placeholder('day')));
  const server = db.select({ total }).from(usage).where(ofDay).prepare();
  const person = db
    .select({ total })
    .from(usage)
    .where(and(ofDay, eq(authorId, sql.placeholder('authorId'))))
    .prepare();
  return (payer) => ({ server: server.get(payer)?.total ?? 0, person: person.get(payer)?.total ?? 0 });
}

function prepareCharge(db: Database): (payer: Payer, tokens: number, calls: number) => void {
  const add = db
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
  return (payer, moreTokens, moreCalls) => void add.run({ ...payer, tokens: moreTokens, calls: moreCalls });
}
