import type { Message } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { discordSession } from './incoming.js';

/** Sessions of which what was missed could not be read when it was to be. Times are in milliseconds since 1970. */
type RetryList = {
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
function createRetryList(): RetryList {
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

/** What was told live of messages while what was missed is read: the past may show them as they were, or once more. */
type LiveUpdates = {
  /** Keeps a message as it was just edited: what is read of the past may be older. */
  keepEdit(message: Message): void;
  /** A message of the past, as it reads by now. */
  latest(message: Message): Message;
  /** A message that is told live was stored; it was not missed, though it may be swept before the past is read. */
  keepReceived(message: Message): void;
  wasReceived(message: Message): boolean;
};

/** Starts with nothing. `isMissing` tells of which sessions it matters; `keepOnly` lets the others go. */
function createLiveUpdates(
  isMissing: (sessionId: string) => boolean,
): LiveUpdates & { keepOnly(owed: (sessionId: string) => boolean): void } {
  const edits = new Map<string, Message>();
  const heard = new Map<string, string>();
  return {
    keepEdit(message) {
      if (isMissing(sessionIdOf(message))) edits.set(message.id, message);
    },
    latest: (message) => edits.get(message.id) ?? message,
    keepReceived(message) {
      if (isMissing(sessionIdOf(message))) heard.set(message.id, sessionIdOf(message));
    },
    wasReceived: ({ id }) => heard.has(id),
    keepOnly(owed) {
      for (const [id, message] of edits) if (!owed(sessionIdOf(message))) edits.delete(id);
      for (const [id, sessionId] of heard) if (!owed(sessionId)) heard.delete(id);
    },
  };
}

function sessionIdOf({ channelId }: Message): string {
  return discordSession(channelId, null).id;
}

/**
 * Knows where the remembered talk of each session ended when the connection was lost, until what was missed has been
 * read: what is said live meanwhile must not pass for the end of what is known. Sessions that could not be read are owed,
 * and known so until they were.
 */
export type ConnectionGaps = LiveUpdates & {
  /** The connection was lost; events may be missed from now on. */
  begin(): void;
  /** The connection was resumed: everything was told after all. */
  resumed(): void;
  /** To be called before something new of a session is stored. */
  recordEdge(sessionId: string): Promise<void>;
  /** A session was forgotten at a time of Discord's, with what was said before that and has not been read yet. */
  forget(sessionId: string, at: number): void;
  /** From when on a session may have missed what was said, in milliseconds since 1970; null when it was never known. */
  missedSince(sessionId: string): Promise<number | null>;
  /** Reads what was missed; the gap is over then but for what is owed, unless the connection was lost once more. */
  read(work: () => Promise<void>): Promise<void>;
  /** What a session missed was read, or there is nobody to read it from. */
  settle(sessionId: string): void;
  /** The channel of a session was deleted: nothing of it is missed, nor will be said. */
  end(sessionId: string): void;
  hasEnded(sessionId: string): boolean;
  /** The sessions of which that could not be done yet. */
  retryList: Pick<RetryList, 'add' | 'all' | 'since' | 'whenAdded'>;
};

/** Starts with a gap: the time before the program's start. `unheardFrom` tells where a session's talk ends. */
export function createConnectionGaps(unheardFrom: (sessionId: string) => Promise<number | null>): ConnectionGaps {
  const edges = new Map<string, number | null>();
  const debts = createRetryList();
  const ended = new Set<string>();
  let readers = 0;
  let lost = true;
  const isOpen = () => lost || readers > 0;
  const isMissing = (sessionId: string) => isOpen() || debts.has(sessionId);
  const told = createLiveUpdates(isMissing);
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
    recordEdge: note,
    forget(sessionId, at) {
      if (isMissing(sessionId)) edges.set(sessionId, at);
    },
    async missedSince(sessionId) {
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
    retryList: debts,
  };
}
