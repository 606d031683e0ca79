import type { Clock } from '../shared/clock.js';
import type { Pings } from './mentions.js';

/** A file of a multipart request. */
export type JournalFile = { name: string; contentType: string; bytes: Buffer };

/**
 * A REST request. It is added when it has been read (`outcome: 'pending'`) and completed in place: `answered`, `lost`
 * (processed, but the response was not sent) or `dropped` (neither processed nor answered).
 */
export type RestEntry = {
  kind: 'rest';
  n: number;
  at: number;
  endedAt: number | null;
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  files: JournalFile[];
  outcome: 'pending' | 'answered' | 'lost' | 'dropped';
  status: number | null;
  answer: unknown;
  answerHeaders: Record<string, string>;
  /** Who was notified by the text; null for requests without one. */
  pings: Pings | null;
  /** The kind of the injected fault. */
  fault: string | null;
  /** The fake has no such route: Discord has none either, or the fake does not model it. */
  unknownRoute: boolean;
};

/** A gateway frame; `in` came from the bot. */
export type GatewayEntry = {
  kind: 'gateway';
  n: number;
  at: number;
  direction: 'in' | 'out';
  session: string | null;
  op: number;
  t: string | null;
  s: number | null;
  d: unknown;
};

/** A gateway connection that was opened or closed, and by whom it was closed. */
export type ConnectionEntry = {
  kind: 'connection';
  n: number;
  at: number;
  event: 'open' | 'close';
  code: number | null;
  by: 'bot' | 'discord' | null;
};

/** One event between the bot and the fake. `n` counts entries from 1; `at` is the fake's clock in milliseconds. */
export type Entry = RestEntry | GatewayEntry | ConnectionEntry;

/** Selects entries in which all given fields match. Pending requests match only `outcome: 'pending'`. */
export type Pattern = {
  kind?: Entry['kind'];
  method?: string;
  /** The decoded path without `/api/v10`: the whole as a string, or a pattern in it. */
  path?: string | RegExp;
  status?: number;
  outcome?: 'pending' | 'answered' | 'lost' | 'dropped';
  unknownRoute?: boolean;
  direction?: 'in' | 'out';
  op?: number;
  t?: string;
  event?: 'open' | 'close';
  code?: number;
  /** Only entries after this mark. */
  since?: number;
};

/** A pattern, which can cross to another process, or a predicate, which is asked about pending requests too. */
export type Match = Pattern | ((entry: Entry) => boolean);

/** A pending wait. `check` is called with each entry that is new or completed, and without one after other changes. */
type Waiter = { check(entry?: Entry): void; fail(error: Error): void };

type Unnumbered<T> = T extends Entry ? Omit<T, 'n' | 'at'> : never;

/** A wait's timeout, and the mark after which entries count. */
export type WaitOptions = { timeoutMs?: number; since?: number };

/** The log of all requests, gateway frames and connections, and waits for entries to come. */
export type Journal = {
  add<T extends Entry>(entry: Unnumbered<T>): T;
  /** Makes waits check again: an entry was completed, or (without one) the state changed. */
  changed(entry?: Entry): void;
  entries(match?: Match): Entry[];
  rest(match?: Match): RestEntry[];
  gateway(match?: Match): GatewayEntry[];
  /** Returns the newest entry's number, for `since`. */
  mark(): number;
  /**
   * Resolves with the first matching entry, past or to come. Rejects after the timeout with a dump of the newest
   * entries.
   */
  waitFor(match: Match, options?: WaitOptions): Promise<Entry>;
  /** Like `waitFor`, for completed REST requests. */
  waitForRest(match: Match, options?: WaitOptions): Promise<RestEntry>;
  /** Resolves with the result of `check` once it is neither undefined nor false; it is called after every change. */
  waitUntil<T>(check: () => T | undefined | false, options?: WaitOptions & { what?: string }): Promise<T>;
  /** Formats the newest entries, 40 by default. */
  dump(count?: number): string;
  /** Rejects all pending waits. */
  close(): void;
};

/** Creates an empty journal that keeps at least the newest `keep` entries. */
export function createJournal(clock: Clock, waitMs: number, keep = Number.POSITIVE_INFINITY): Journal {
  const log: Entry[] = [];
  let count = 0;
  const waiters = new Set<Waiter>();
  const changed = (entry?: Entry) => {
    for (const waiter of [...waiters]) waiter.check(entry);
  };
  const filter = (match?: Match) => log.filter((entry) => match === undefined || matches(match, entry));
  const dump = (newest = 40) => dumpEntries(log.slice(-newest), log[0]?.at ?? 0);
  const wait = <T>(check: (entry?: Entry) => T | undefined | false, what: string, timeoutMs = waitMs) =>
    new Promise<T>((resolve, reject) => {
      const settle = (complete: () => void) => {
        clearTimeout(timer);
        waiters.delete(waiter);
        complete();
      };
      const fail = (error: Error) => settle(() => reject(error));
      const checkNow = (entry?: Entry) => {
        try {
          const found = check(entry);
          if (found !== undefined && found !== false) settle(() => resolve(found));
        } catch (error) {
          fail(error as Error);
        }
      };
      const waiter = { check: checkNow, fail };
      const expire = () =>
        fail(new Error(`not seen within ${timeoutMs} ms: ${what}\nlast journal entries:\n${dump()}`));
      const timer = setTimeout(expire, timeoutMs);
      waiters.add(waiter);
      checkNow();
    });
  const waitFor = (match: Match, { since = 0, timeoutMs }: WaitOptions = {}) => {
    let begun = false;
    const check = (entry?: Entry) => {
      if (begun) return entry !== undefined && entry.n > since && matches(match, entry) ? entry : undefined;
      begun = true;
      return log.find((each) => each.n > since && matches(match, each));
    };
    return wait(check, describeMatch(match), timeoutMs);
  };
  return {
    add<T extends Entry>(entry: Unnumbered<T>): T {
      count += 1;
      const numbered = { ...entry, n: count, at: clock.now() } as unknown as T;
      log.push(numbered);
      if (log.length > 2 * keep) log.splice(0, log.length - keep);
      changed(numbered);
      return numbered;
    },
    changed,
    entries: filter,
    rest: (match) => filter(match).filter((entry) => entry.kind === 'rest'),
    gateway: (match) => filter(match).filter((entry) => entry.kind === 'gateway'),
    mark: () => count,
    waitFor,
    async waitForRest(match, options) {
      const completed = (entry: Entry) => entry.kind === 'rest' && entry.outcome !== 'pending' && matches(match, entry);
      return (await waitFor(completed, options)) as RestEntry;
    },
    waitUntil: (check, { timeoutMs, what = String(check) } = {}) => wait(() => check(), what, timeoutMs),
    dump,
    close() {
      for (const waiter of [...waiters]) waiter.fail(new Error('the fake Discord was closed'));
    },
  };
}

function describeMatch(match: Match): string {
  return typeof match === 'function'
    ? String(match)
    : Object.entries(match)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ');
}

function matches(match: Match, entry: Entry): boolean {
  if (typeof match === 'function') return match(entry);
  const fields = entry as Entry & Record<string, unknown>;
  if (entry.kind === 'rest' && entry.outcome === 'pending' && match.outcome !== 'pending') return false;
  return Object.entries(match).every(([key, wanted]) => {
    if (wanted === undefined) return true;
    if (key === 'since') return entry.n > Number(wanted);
    const value = fields[key];
    return wanted instanceof RegExp ? typeof value === 'string' && wanted.test(value) : value === wanted;
  });
}

const DUMP_WIDTH = 160;

/** Formats entries, one a line; times in seconds since `start`. */
function dumpEntries(entries: readonly Entry[], start: number): string {
  return entries
    .map((entry) => `  #${entry.n} +${((entry.at - start) / 1000).toFixed(3)} ${describeEntry(entry)}`)
    .join('\n');
}

function describeEntry(entry: Entry): string {
  if (entry.kind === 'connection') {
    return `gateway ${entry.event}${entry.code === null ? '' : ` ${entry.code} by ${entry.by}`}`;
  }
  if (entry.kind === 'gateway') {
    const arrow = entry.direction === 'in' ? 'bot →' : 'bot ←';
    return `${arrow} op ${entry.op} ${entry.t ?? ''} ${entry.s ?? ''} ${entry.op === 2 || entry.op === 6 ? '' : abbreviate(entry.d)}`;
  }
  const files = entry.files.length === 0 ? '' : ` files: ${entry.files.map(({ name }) => name).join(', ')}`;
  const fault = entry.fault === null ? '' : ` fault: ${entry.fault}`;
  const errorBody = (entry.status ?? 0) >= 400 ? ` ${abbreviate(entry.answer)}` : '';
  const result = `${entry.outcome} ${entry.status ?? ''}${entry.unknownRoute ? ' (no such route)' : ''}`;
  return `${entry.method} ${entry.path} ${abbreviate(entry.body)}${files} → ${result}${errorBody}${fault}`;
}

function abbreviate(value: unknown): string {
  const text = value === undefined || value === null ? '' : JSON.stringify(value);
  return text.length <= DUMP_WIDTH ? text : `${text.slice(0, DUMP_WIDTH)}…`;
}
