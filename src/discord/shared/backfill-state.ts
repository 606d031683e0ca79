import type { Message } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { discordSession } from './incoming.js';

/**
 * Tracks what the backfill has still to read: the gap of each session, the time in which the gateway connection was down and
 * events may have been missed. A session that could not be read stays on the retry list, and its gap stays open.
 */
export type BackfillState = LiveUpdates & {
  /** The connection was lost; events may be missed from now on. */
  connectionLost(): void;
  /** The session was resumed: Discord replayed every event. */
  connectionResumed(): void;
  /**
   * Records where a session's stored messages end; to be called before a live message is stored, which would otherwise pass
   * for the end of what is known.
   */
  recordEdge(sessionId: string): Promise<void>;
  /** A session was forgotten at a time of Discord's (milliseconds since 1970): nothing before it is backfilled. */
  sessionForgotten(sessionId: string, at: number): void;
  /** The time from which on a session may have missed messages, in milliseconds since 1970; null when nothing is known of it. */
  missedSince(sessionId: string): Promise<number | null>;
  /** Runs a backfill; afterwards the gap is closed but for the sessions to retry, unless the connection was lost again. */
  run(backfill: () => Promise<void>): Promise<void>;
  /** A session's gap was read, or there is nobody to read it from. */
  settle(sessionId: string): void;
  /** Whether a session may have missed deletions that no backfill has read yet. */
  isDue(sessionId: string): boolean;
  /** The channel of a session was deleted: nothing of it is missed, nor will be said. */
  channelDeleted(sessionId: string): void;
  isChannelDeleted(sessionId: string): boolean;
  /** The sessions whose backfill failed. */
  retryList: Pick<RetryList, 'add' | 'all' | 'since' | 'whenAdded'>;
};

/** Starts with an open gap, the time before the program's start. `missedSince` asks the store where a session ends. */
export function createBackfillState(missedSince: (sessionId: string) => Promise<number | null>): BackfillState {
  const edges = new Map<string, number | null>();
  const retryList = createRetryList();
  const ended = new Set<string>();
  const settled = new Set<string>();
  let backfills = 0;
  let lost = true;
  const isOpen = () => lost || backfills > 0;
  const isMissing = (sessionId: string) => isOpen() || retryList.has(sessionId);
  const liveUpdates = createLiveUpdates(isMissing);
  const recordEdge = async (sessionId: string) => {
    if (!isMissing(sessionId) || edges.has(sessionId)) return;
    const edge = await missedSince(sessionId);
    if (isMissing(sessionId) && !edges.has(sessionId)) edges.set(sessionId, edge);
  };
  const close = () => {
    if (isOpen()) return;
    settled.clear();
    for (const id of edges.keys()) if (!retryList.has(id)) edges.delete(id);
    liveUpdates.keepOnly((sessionId) => retryList.has(sessionId));
  };
  const settle = (sessionId: string) => {
    retryList.remove(sessionId);
    settled.add(sessionId);
    close();
  };
  return {
    ...liveUpdates,
    connectionLost() {
      lost = true;
      settled.clear();
    },
    connectionResumed() {
      lost = false;
      close();
    },
    recordEdge,
    sessionForgotten(sessionId, at) {
      if (isMissing(sessionId)) edges.set(sessionId, at);
    },
    async missedSince(sessionId) {
      await recordEdge(sessionId);
      return ended.has(sessionId) ? null : (edges.get(sessionId) ?? null);
    },
    async run(backfill) {
      lost = false;
      backfills += 1;
      try {
        await backfill();
      } finally {
        backfills -= 1;
        close();
      }
    },
    settle,
    isDue: (sessionId) => retryList.has(sessionId) || (isOpen() && !settled.has(sessionId)),
    channelDeleted(sessionId) {
      ended.add(sessionId);
      settle(sessionId);
    },
    isChannelDeleted: (sessionId) => ended.has(sessionId),
    retryList,
  };
}

/** Sessions whose backfill failed. Times are in milliseconds since 1970. */
type RetryList = {
  add(session: Session, at: number): void;
  remove(sessionId: string): void;
  has(sessionId: string): boolean;
  /** Those first that were tried longest ago. */
  all(): Session[];
  /** When a session was first added, or null. */
  since(sessionId: string): number | null;
  /** Calls `wake` whenever a session is added. */
  whenAdded(wake: () => void): void;
};

function createRetryList(): RetryList {
  const failed = new Map<string, { session: Session; since: number }>();
  let wake = () => {};
  return {
    add(session, at) {
      const since = failed.get(session.id)?.since ?? at;
      failed.delete(session.id);
      failed.set(session.id, { session, since });
      wake();
    },
    remove: (sessionId) => void failed.delete(sessionId),
    has: (sessionId) => failed.has(sessionId),
    all: () => [...failed.values()].map(({ session }) => session),
    since: (sessionId) => failed.get(sessionId)?.since ?? null,
    whenAdded(call) {
      wake = call;
    },
  };
}

/** Gateway events that arrive during a backfill, whose pages may be older than they. */
type LiveUpdates = {
  /** Keeps a message as it was just edited. */
  keepEdit(message: Message): void;
  /** A message of the backfill with a later edit applied. */
  latest(message: Message): Message;
  /** Records that a live message was stored: the backfill must not store it once more, even if it was swept meanwhile. */
  keepReceived(message: Message): void;
  wasReceived(message: Message): boolean;
};

/** `isMissing` tells for which sessions a backfill is due; `keepOnly` drops what concerns others. */
function createLiveUpdates(
  isMissing: (sessionId: string) => boolean,
): LiveUpdates & { keepOnly(isDue: (sessionId: string) => boolean): void } {
  const edits = new Map<string, Message>();
  const received = new Map<string, string>();
  return {
    keepEdit(message) {
      if (isMissing(sessionIdOf(message))) edits.set(message.id, message);
    },
    latest: (message) => edits.get(message.id) ?? message,
    keepReceived(message) {
      if (isMissing(sessionIdOf(message))) received.set(message.id, sessionIdOf(message));
    },
    wasReceived: ({ id }) => received.has(id),
    keepOnly(isDue) {
      for (const [id, message] of edits) if (!isDue(sessionIdOf(message))) edits.delete(id);
      for (const [id, sessionId] of received) if (!isDue(sessionId)) received.delete(id);
    },
  };
}

function sessionIdOf({ channelId }: Message): string {
  return discordSession(channelId, null).id;
}
