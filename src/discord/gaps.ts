import type { Message as Said } from 'discord.js';

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
  /** From when on a session may have missed what was said, in milliseconds since 1970; null when it was never known. */
  edge(sessionId: string): Promise<number | null>;
  /** Keeps a message as it was just edited: what is read of the past may be older. */
  keepEdit(message: Said): void;
  /** A message of the past, as it reads by now. */
  latest(message: Said): Said;
  /** Reads what was missed; the gap is over then, unless the connection was lost once more. */
  read(work: () => Promise<void>): Promise<void>;
};

/** Starts with a gap: the time before the program's start. `unheardFrom` tells where a session's talk ends. */
export function createGaps(unheardFrom: (sessionId: string) => Promise<number | null>): Gaps {
  let edges: Map<string, number | null> | null = new Map();
  const edits = new Map<string, Said>();
  let readers = 0;
  let lost = true;
  const note = async (sessionId: string) => {
    const gap = edges;
    if (gap === null || gap.has(sessionId)) return;
    const edge = await unheardFrom(sessionId);
    if (!gap.has(sessionId)) gap.set(sessionId, edge);
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
