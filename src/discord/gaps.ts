import type { Message as Said } from 'discord.js';
import type { Message } from '../conversation/message.js';

/**
 * Knows where the remembered talk of each session ended when the connection was lost, until what was missed has been
 * read: what is said live meanwhile must not pass for the end of what is known.
 */
export type Gaps = {
  /** The connection was lost; events may be missed from now on. */
  begin(): void;
  /** The connection was resumed: everything was told after all. */
  resumed(): void;
  /** To be called before something new of a session is stored. */
  note(sessionId: string): Promise<void>;
  /** The newest message that a session had before the gap, or null. */
  edge(sessionId: string): Promise<Message | null>;
  /** Keeps a message as it was just edited: what is read of the past may be older. */
  keepEdit(message: Said): void;
  /** A message of the past, as it reads by now. */
  latest(message: Said): Said;
  /** Reads what was missed; the gap is over then, unless the connection was lost once more. */
  read(work: () => Promise<void>): Promise<void>;
};

/** Starts with a gap: the time before the program's start. `newestOf` gives the newest message that a session keeps. */
export function createGaps(newestOf: (sessionId: string) => Promise<Message | null>): Gaps {
  let edges: Map<string, Message | null> | null = new Map();
  const edits = new Map<string, Said>();
  let readers = 0;
  let lost = true;
  const note = async (sessionId: string) => {
    const gap = edges;
    if (gap === null || gap.has(sessionId)) return;
    const newest = await newestOf(sessionId);
    if (!gap.has(sessionId)) gap.set(sessionId, newest);
  };
  const close = () => {
    if (lost || readers > 0) return;
    edges = null;
    edits.clear();
  };
  return {
    begin() {
      edges ??= new Map();
      lost = true;
    },
    resumed() {
      lost = false;
      close();
    },
    note,
    async edge(sessionId) {
      await note(sessionId);
      return edges?.get(sessionId) ?? null;
    },
    keepEdit(message) {
      if (edges !== null) edits.set(message.id, message);
    },
    latest: (message) => edits.get(message.id) ?? message,
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
  };
}
