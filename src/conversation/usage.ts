/** Who a call of the model is charged to. `day` is a UTC date such as `2026-01-31`; a summary is nobody's own: `authorId` is ''. */
export type Payer = { scopeId: string; authorId: string; sessionId: string; day: string };

/** The most tokens of a day; null is no limit. */
export type Limits = { server: number | null; person: number | null };

/** What was used of a day, with what is reserved by calls under way. */
export type Used = { server: number; person: number };

/** One line of an account. */
export type UsageRow = { day: string; authorId: string; sessionId: string; tokens: number; calls: number };

/** Keeps account of tokens, day by day; what is reserved stays charged when the process ends before it is settled. */
export interface Ledger {
  /** Charges tokens if no limit would be passed, in one step. @returns what was used before, and whether it was charged. */
  reserve(payer: Payer, tokens: number, limits: Limits): Promise<Used & { granted: boolean }>;
  /** Corrects a charge to what a call has cost in truth, and counts the call. */
  settle(payer: Payer, reserved: number, tokens: number): Promise<void>;
  /** What a scope and a person in it have used of a day. */
  used(payer: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): Promise<Used>;
  /** A scope's account from a day on, by day, person and session. */
  account(scopeId: string, fromDay: string): Promise<UsageRow[]>;
  /** Deletes accounts before a day. */
  sweepUsage(beforeDay: string): Promise<void>;
}

/** The UTC date of a time. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** When the day after a time begins, in milliseconds since 1970. */
export function nextDay(at: number): number {
  return (Math.floor(at / 86_400_000) + 1) * 86_400_000;
}
