import type { Session } from '../conversation/session.js';

/** Sessions of which what was missed could not be read when it was to be. Times are in milliseconds since 1970. */
export type Debts = {
  add(session: Session, at: number): void;
  remove(sessionId: string): void;
  has(sessionId: string): boolean;
  /** Those first that were tried longest ago. */
  all(): Session[];
  /** Since when a session is owed, or null. */
  since(sessionId: string): number | null;
  /** `wake` is called whenever one is added. */
  whenAdded(wake: () => void): void;
};

/** Starts with none. */
export function createDebts(): Debts {
  const debts = new Map<string, { session: Session; since: number }>();
  let wake = () => {};
  return {
    add(session, at) {
      const since = debts.get(session.id)?.since ?? at;
      debts.delete(session.id);
      debts.set(session.id, { session, since });
      wake();
    },
    remove: (sessionId) => void debts.delete(sessionId),
    has: (sessionId) => debts.has(sessionId),
    all: () => [...debts.values()].map(({ session }) => session),
    since: (sessionId) => debts.get(sessionId)?.since ?? null,
    whenAdded(call) {
      wake = call;
    },
  };
}
