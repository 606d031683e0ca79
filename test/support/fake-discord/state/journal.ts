import type { Clock } from '../shared/clock.js';
import type { Pings } from './mentions.js';

/** A file of a multipart request. */
export type JournalFile = { name: string; contentType: string; bytes: Buffer };

/**
 * One REST request. It enters the journal when it has been read (`outcome: 'pending'`) and is completed in place:
 * `answered`, `lost` (the work was done, the answer never arrived) or `dropped` (nothing was done, nothing answered).
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
  /** Whom the text would have notified; null where nothing was said. */
  pings: Pings | null;
  /** The kind of the fault that met this request. */
  fault: string | null;
  /** No such route in the fake: either a gap in it, or the bot asks for something that does not exist. */
  unknownRoute: boolean;
};

/** One gateway frame; `in` comes from the bot. */
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

/** A gateway connection that opened or closed; `by` says who closed it. */
export type ConnectionEntry = {
  kind: 'connection';
  n: number;
  at: number;
  event: 'open' | 'close';
  code: number | null;
  by: 'bot' | 'discord' | null;
};

/** Anything that passed between the bot and the fake. `n` rises with every entry; `at` is world time in milliseconds. */
export type Entry = RestEntry | GatewayEntry | ConnectionEntry;

/** What an entry must be; all that is given must hold. A request only matches once it is completed, unless `outcome` says otherwise. */
export type Pattern = {
  kind?: Entry['kind'];
  method?: string;
  /** The whole decoded path without `/api/v10`, or a pattern in it. */
  path?: string | RegExp;
  status?: number;
  outcome?: 'pending' | 'answered' | 'lost' | 'dropped';
  unknownRoute?: boolean;
  direction?: 'in' | 'out';
  op?: number;
  t?: string;
  event?: 'open' | 'close';
  code?: number;
  since?: number;
};

/** A pattern (which can cross process borders) or a predicate (which sees pending requests too). */
export type Match = Pattern | ((entry: Entry) => boolean);

/** Somebody who waits; told of the entry that is new or completed, if it was one. */
type Waiter = { look(entry?: Entry): void; fail(error: Error): void };

type Unnumbered<T> = T extends Entry ? Omit<T, 'n' | 'at'> : never;

/** How long to wait, and from which mark on entries count. */
export type WaitOptions = { timeoutMs?: number; since?: number };

/** Everything that happened, in order, and ways to wait for what will. */
export type Journal = {
  add<T extends Entry>(entry: Unnumbered<T>): T;
  /** Tells waiters that an entry was completed, or (without one) that the world changed. */
  changed(entry?: Entry): void;
  entries(match?: Match): Entry[];
  rest(match?: Match): RestEntry[];
  gateway(match?: Match): GatewayEntry[];
  /** The number of the newest entry, to be given as `since`. */
  mark(): number;
  /** The first entry that matches, now or later. Rejects after the time-out with the newest entries. */
  waitFor(match: Match, options?: WaitOptions): Promise<Entry>;
  /** Like waitFor, for REST requests that are completed. */
  waitForRest(match: Match, options?: WaitOptions): Promise<RestEntry>;
  /** What `check` gives as soon as it is neither undefined nor false; it is asked after every event. */
  waitUntil<T>(check: () => T | undefined | false, options?: WaitOptions & { what?: string }): Promise<T>;
  /** The newest entries as text. */
  dump(count?: number): string;
  /** Rejects everybody who waits. */
  close(): void;
};

/** An empty journal that keeps at least the newest `keep` entries. */
export function createJournal(clock: Clock, waitMs: number, keep = Number.POSITIVE_INFINITY): Journal {
  const log: Entry[] = [];
  let count = 0;
  const waiters = new Set<Waiter>();
  const changed = (entry?: Entry) => {
    for (const waiter of [...waiters]) waiter.look(entry);
  };
  const filter = (match?: Match) => log.filter((entry) => match === undefined || matches(match, entry));
  const dump = (newest = 40) => dumpEntries(log.slice(-newest), log[0]?.at ?? 0);
  const wait = <T>(check: (entry?: Entry) => T | undefined | false, what: string, timeoutMs = waitMs) =>
    new Promise<T>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        waiters.delete(waiter);
        act();
      };
      const fail = (error: Error) => settle(() => reject(error));
      const look = (entry?: Entry) => {
        try {
          const found = check(entry);
          if (found !== undefined && found !== false) settle(() => resolve(found));
        } catch (error) {
          fail(error as Error);
        }
      };
      const waiter = { look, fail };
      const late = () => fail(new Error(`not seen within ${timeoutMs} ms: ${what}\nlast journal entries:\n${dump()}`));
      const timer = setTimeout(late, timeoutMs);
      waiters.add(waiter);
      look();
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

/** Whether an entry is what is looked for. */
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

/** Journal entries as lines for people; times in seconds since `start`. */
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
  const refusal = (entry.status ?? 0) >= 400 ? ` ${abbreviate(entry.answer)}` : '';
  const result = `${entry.outcome} ${entry.status ?? ''}${entry.unknownRoute ? ' (no such route)' : ''}`;
  return `${entry.method} ${entry.path} ${abbreviate(entry.body)}${files} → ${result}${refusal}${fault}`;
}

function abbreviate(value: unknown): string {
  const text = value === undefined || value === null ? '' : JSON.stringify(value);
  return text.length <= DUMP_WIDTH ? text : `${text.slice(0, DUMP_WIDTH)}…`;
}
