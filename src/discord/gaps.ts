import { createDebts, type Debts } from './debts.js';
import { createToldMeanwhile, type ToldMeanwhile } from './told-meanwhile.js';

/**
 * Knows where the remembered talk of each session ended when the connection was lost, until what was missed has been
 * read: what is said live meanwhile must not pass for the end of what is known. Sessions that could not be read are owed,
 * and known so until they were.
 */
export type Gaps = ToldMeanwhile & {
  /** The connection was lost; events may be missed from now on. */
  begin(): void;
  /** The connection was resumed: everything was told after all. */
  resumed(): void;
  /** To be called before something new of a session is stored. */
  note(sessionId: string): Promise<void>;
  /** A session was forgotten at a time of Discord's, with what was said before that and has not been read yet. */
  forget(sessionId: string, at: number): void;
  /** From when on a session may have missed what was said, in milliseconds since 1970; null when it was never known. */
  edge(sessionId: string): Promise<number | null>;
  /** Reads what was missed; the gap is over then but for what is owed, unless the connection was lost once more. */
  read(work: () => Promise<void>): Promise<void>;
  /** What a session missed was read, or there is nobody to read it from. */
  settle(sessionId: string): void;
  /** The channel of a session was deleted: nothing of it is missed, nor will be said. */
  end(sessionId: string): void;
  hasEnded(sessionId: string): boolean;
  /** The sessions of which that could not be done yet. */
  debts: Pick<Debts, 'add' | 'all' | 'since' | 'whenAdded'>;
};

/** Starts with a gap: the time before the program's start. `unheardFrom` tells where a session's talk ends. */
export function createGaps(unheardFrom: (sessionId: string) => Promise<number | null>): Gaps {
  const edges = new Map<string, number | null>();
  const debts = createDebts();
  const ended = new Set<string>();
  let readers = 0;
  let lost = true;
  const isOpen = () => lost || readers > 0;
  const isMissing = (sessionId: string) => isOpen() || debts.has(sessionId);
  const told = createToldMeanwhile(isMissing);
  const note = async (sessionId: string) => {
    if (!isMissing(sessionId) || edges.has(sessionId)) return;
    const edge = await unheardFrom(sessionId);
    if (isMissing(sessionId) && !edges.has(sessionId)) edges.set(sessionId, edge);
  };
  const close = () => {
    if (isOpen()) return;
    for (const id of edges.keys()) if (!debts.has(id)) edges.delete(id);
    told.keepOnly((sessionId) => debts.has(sessionId));
  };
  const settle = (sessionId: string) => {
    debts.remove(sessionId);
    close();
  };
  return {
    ...told,
    begin() {
      lost = true;
    },
    resumed() {
      lost = false;
      close();
    },
    note,
    forget(sessionId, at) {
      if (isMissing(sessionId)) edges.set(sessionId, at);
    },
    async edge(sessionId) {
      await note(sessionId);
      return ended.has(sessionId) ? null : (edges.get(sessionId) ?? null);
    },
    async read(work) {
      lost = false;
      readers += 1;
      try {
        await work();
      } finally {
        readers -= 1;
        close();
      }
    },
    settle,
    end(sessionId) {
      ended.add(sessionId);
      settle(sessionId);
    },
    hasEnded: (sessionId) => ended.has(sessionId),
    debts,
  };
}
