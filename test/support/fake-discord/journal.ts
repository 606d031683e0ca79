import type { Clock } from './clock.js';
import { dumpEntries } from './journal-dump.js';
import type { Entry, GatewayEntry, RestEntry } from './journal-entries.js';
import { type Match, matches } from './journal-match.js';

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
