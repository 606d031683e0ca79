import { DAY_MS } from '../conversation/clock.js';
import { ownScope, type Session } from '../conversation/session.js';
import { dayOf, type Limits, nextDay, type UsageRow, type Used } from '../conversation/usage.js';
import type { Parts } from './parts.js';
import { settingsFor } from './settings.js';
import { limitsOf } from './spending.js';

/** How a scope's budget of today stands; `opensAt` is when the next day begins, in milliseconds since 1970. */
export type BudgetReport = { set: Limits; ceilings: Limits; limits: Limits; used: Used; opensAt: number };

/** What an account is grouped by. */
export type UsageBy = 'person' | 'channel' | 'day';

/** A sum of an account: the person's, session's or day's id, and its tokens and calls. */
export type UsageSum = { key: string; tokens: number; calls: number };

/** What models cost, by server or direct message: budgets and accounts. */
export class AccountVerbs {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How the budget stands for a person in a session. */
  async budget(session: Session, authorId: string): Promise<BudgetReport> {
    const { store, options, clock } = this.#parts;
    const settings = await settingsFor(store, session, options);
    const used = await store.used({ scopeId: ownScope(session), authorId, day: dayOf(clock()) });
    const limits = limitsOf(settings, options);
    return { set: settings.budget.value, ceilings: options.ceilings, limits, used, opensAt: nextDay(clock()) };
  }

  /** Sets the limits of a server that are given, or removes both. */
  async setBudget(scopeId: string, change: Partial<Limits> | null): Promise<void> {
    const { store, clock } = this.#parts;
    const stored = await store.loadSettings([scopeId]);
    const before = stored.find(({ key }) => key === 'budget')?.value as Limits | undefined;
    const next = change === null ? undefined : { server: null, person: null, ...before, ...change };
    await store.saveSetting(scopeId, 'budget', next, clock());
  }

  /** The account of the last `days` days, summed up, dearest first (days in order); of one person, or of all. */
  async usage(session: Session, by: UsageBy, days: number, authorId: string | null): Promise<UsageSum[]> {
    const { store, clock } = this.#parts;
    const rows = await store.account(ownScope(session), dayOf(clock() - (days - 1) * DAY_MS));
    const own = authorId === null ? rows : rows.filter((row) => row.authorId === authorId);
    const sums = new Map<string, UsageSum>();
    for (const row of own) {
      const key = keyOf(row, by);
      const sum = sums.get(key) ?? { key, tokens: 0, calls: 0 };
      sums.set(key, { key, tokens: sum.tokens + row.tokens, calls: sum.calls + row.calls });
    }
    const all = [...sums.values()];
    return by === 'day' ? all.sort((a, b) => (a.key < b.key ? -1 : 1)) : all.sort((a, b) => b.tokens - a.tokens);
  }
}

function keyOf(row: UsageRow, by: UsageBy): string {
  if (by === 'day') return row.day;
  return by === 'person' ? row.authorId : row.sessionId;
}
