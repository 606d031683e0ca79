import { DAY_MS } from '../conversation/clock.js';
import { BudgetError, ModelError, type ModelErrorCode } from '../conversation/errors.js';
import { type TextStream, tapStream } from '../conversation/model.js';
import { personScope, type Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import {
  dayOf,
  type Payer,
  startOfNextDay,
  type TokenLimits,
  type TokensUsed,
  type UsageRow,
} from '../conversation/store.js';
import type { BaseDependencies, Dependencies, Options } from './dependencies.js';
import { settingsFor } from './settings.js';

/** The most that a call may cost, in tokens. */
type CostEstimate = { prompt: number; answer: number };

/** The share of a budget at which people are warned. */
const WARNING_SHARE = 0.8;
/** Reported usage beyond this multiple of the estimate is taken for an error of the endpoint and ignored. */
const MAX_USAGE_RATIO = 4;
/** Errors in which nothing was generated, so that nothing is charged. */
const UNCHARGED_ERRORS: readonly ModelErrorCode[] = [
  'unreachable',
  'rate-limited',
  'quota',
  'bad-key',
  'unknown-model',
  'context-overflow',
  'not-an-api',
  'rejected',
  'server-error',
];

/** Resolves the limits in force: the server's own, never above the owner's ceilings. */
export function tokenLimitsOf(settings: ResolvedSettings, { ceilings }: Options): TokenLimits {
  const { server, person } = settings.budget.value;
  const lower = (own: number | null, ceiling: number | null) =>
    own === null ? ceiling : ceiling === null ? own : Math.min(own, ceiling);
  return { server: lower(server, ceilings.server), person: lower(person, ceilings.person) };
}

/** Names who pays for a call in a session today; `authorId` is '' for summaries, which no person pays for. */
export function payerOf(deps: BaseDependencies, session: Session, authorId: string): Payer {
  return { scopeId: personScope(session), authorId, sessionId: session.id, day: dayOf(deps.clock()) };
}

/**
 * Charges a stream: reserves the estimate before it begins, and corrects the charge when it ends. A stream that broke off,
 * reported absurd usage or was cut by the end of the process stays charged as estimated.
 * @throws {BudgetError} before anything is sent, when a limit would be passed.
 */
export async function* chargeStream(
  deps: BaseDependencies,
  payer: Payer,
  limits: TokenLimits,
  { prompt, answer }: CostEstimate,
  stream: TextStream,
): TextStream {
  const unlimited = limits.server === null && limits.person === null;
  const reserved = unlimited ? 0 : prompt + answer;
  if (!unlimited) await reserve(deps, payer, reserved, limits);
  let cost = prompt + answer;
  let length = 0;
  try {
    const completion = yield* tapStream(stream, (piece) => {
      length += piece.length;
    });
    const { usage } = completion;
    const reported = usage === null ? prompt + Math.min(answer, length) : usage.input + usage.output;
    if (reported <= cost * MAX_USAGE_RATIO) cost = reported;
    return completion;
  } catch (error) {
    if (length === 0 && error instanceof ModelError && UNCHARGED_ERRORS.includes(error.code)) cost = 0;
    throw error;
  } finally {
    // Not awaited: it is committed together with what the caller stores next.
    if (cost > 0 || reserved > 0) void settle(deps, payer, reserved, cost);
  }
}

async function reserve(deps: BaseDependencies, payer: Payer, tokens: number, limits: TokenLimits): Promise<void> {
  const { granted, person } = await deps.store.reserve(payer, tokens, limits);
  if (granted) return;
  const own = limits.person !== null && person + tokens > limits.person;
  throw new BudgetError(own ? 'person' : 'server', startOfNextDay(deps.clock()));
}

async function settle(deps: BaseDependencies, payer: Payer, reserved: number, cost: number): Promise<void> {
  await deps.store
    .settle(payer, reserved, cost)
    .catch((error) => deps.logger.warn({ error }, 'failed to settle usage, the reserve stays charged'));
}

/**
 * Notes what has been used of the day's budgets; the returned function tells whose budget has passed the warning share since
 * then, or null, the person's first.
 */
export async function watchBudget(
  { store }: BaseDependencies,
  payer: Payer,
  limits: TokenLimits,
): Promise<() => Promise<'server' | 'person' | null>> {
  if (limits.server === null && limits.person === null) return async () => null;
  const before = await store.used(payer);
  return async () => {
    const used = await store.used(payer);
    const crossed = (whose: keyof TokensUsed) => {
      const threshold = (limits[whose] ?? Number.POSITIVE_INFINITY) * WARNING_SHARE;
      return before[whose] < threshold && used[whose] >= threshold;
    };
    if (crossed('person')) return 'person';
    return crossed('server') ? 'server' : null;
  };
}

/**
 * A scope's budget of today: the limits set, the owner's, those in force, and what was used. `opensAt` is when the next day
 * begins, in milliseconds since 1970.
 */
export type BudgetReport = {
  set: TokenLimits;
  ceilings: TokenLimits;
  limits: TokenLimits;
  used: TokensUsed;
  opensAt: number;
};

/** The grouping of an account. */
export type UsageBy = 'person' | 'channel' | 'day';

/** A sum of an account: the person's, session's or day's id, and its tokens and calls. */
export type UsageSum = { key: string; tokens: number; calls: number };

/** Budgets and used tokens, by server or direct message. */
export class Accounts {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Reports the budget of a person in a session. */
  async budget(session: Session, authorId: string): Promise<BudgetReport> {
    const { store, options, clock } = this.#deps;
    const settings = await settingsFor(store, session, options);
    const used = await store.used({ scopeId: personScope(session), authorId, day: dayOf(clock()) });
    const limits = tokenLimitsOf(settings, options);
    return { set: settings.budget.value, ceilings: options.ceilings, limits, used, opensAt: startOfNextDay(clock()) };
  }

  /** Changes the limits of a server, or removes both (null). */
  async setBudget(scopeId: string, change: Partial<TokenLimits> | null): Promise<void> {
    const { store, clock } = this.#deps;
    const stored = await store.loadSettings([scopeId]);
    const before = stored.find(({ key }) => key === 'budget')?.value as TokenLimits | undefined;
    const next = change === null ? undefined : { server: null, person: null, ...before, ...change };
    await store.saveSetting(scopeId, 'budget', next, clock());
  }

  /** Sums up the account of the last `days` days, of one person or of all: most tokens first, days in order. */
  async usage(session: Session, by: UsageBy, days: number, authorId: string | null): Promise<UsageSum[]> {
    const { store, clock } = this.#deps;
    const rows = await store.account(personScope(session), dayOf(clock() - (days - 1) * DAY_MS));
    const selected = authorId === null ? rows : rows.filter((row) => row.authorId === authorId);
    const sums = new Map<string, UsageSum>();
    for (const row of selected) {
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
