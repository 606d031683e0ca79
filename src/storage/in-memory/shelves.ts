import type { Message } from '../../conversation/message.js';
import type { Session } from '../../conversation/session.js';
import type { StoredSetting } from '../../conversation/settings.js';
import type { Summary } from '../../conversation/summary.js';
import { peopleIn, withName } from '../participants.js';
import { heardAt, unheardFrom } from '../unheard.js';

/** All that is kept of one session; messages in order of `seq`, summaries in order of their watermark. */
export type Shelf = {
  session: Session;
  epoch: number;
  revision: number;
  sweptThrough: number;
  /** When the newest message was created that was taken away as the newest one. */
  goneThrough: number | null;
  messages: Message[];
  /** Everybody who has written or was quoted here, and their names, one a line. */
  authors: Map<string, string>;
  /** Role and platform id of every message, since each is stored once. */
  identities: Set<string>;
  /** The `seq` of every message that waits. */
  pending: Set<number>;
  summaries: Summary[];
};

/** All that an in-memory store keeps. */
export type Shelves = {
  bySession: Map<string, Shelf>;
  /** Erased platform ids by session, and when. */
  graves: Map<string, Map<string, number>>;
  settings: Map<string, StoredSetting>;
  lastSeq: number;
  lastSummaryId: number;
};

/** A store's shelves before anything was said. */
export function emptyShelves(): Shelves {
  return { bySession: new Map(), graves: new Map(), settings: new Map(), lastSeq: 0, lastSummaryId: 0 };
}

/** The shelf of a session, made when it is not there yet. */
export function shelfFor(shelves: Shelves, sessionId: string): Shelf {
  const shelf = shelfOf(shelves, sessionId);
  shelves.bySession.set(sessionId, shelf);
  return shelf;
}

/** The shelf of a session to look at; an empty one when nothing is kept of it. */
export function shelfOf(shelves: Shelves, sessionId: string): Shelf {
  return shelves.bySession.get(sessionId) ?? newShelf(sessionId);
}

/** The first message that waits, which no summary may reach. */
export function firstPending(shelf: Shelf): number {
  return Math.min(Number.POSITIVE_INFINITY, ...shelf.pending);
}

/** True when a message is kept already. */
export function holds(shelf: Shelf, message: Pick<Message, 'role' | 'platformId'>): boolean {
  return shelf.identities.has(identity(message));
}

/** The message under a number. */
export function atSeq(shelf: Shelf, seq: number): Message | undefined {
  let low = 0;
  let high = shelf.messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shelf.messages[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  const found = shelf.messages[low];
  return found?.seq === seq ? found : undefined;
}

/** Puts a message in its place. */
export function place(shelf: Shelf, message: Message): void {
  const after = shelf.messages.findLastIndex(({ seq }) => seq < message.seq);
  shelf.messages.splice(after + 1, 0, message);
  shelf.identities.add(identity(message));
  for (const { authorId, name } of peopleIn(message)) {
    shelf.authors.set(authorId, withName(shelf.authors.get(authorId) ?? '', name));
  }
  if (message.state === 'pending') shelf.pending.add(message.seq);
}

/** Takes messages away and returns them. */
export function takeAway(shelf: Shelf, goes: (message: Message) => boolean): Message[] {
  const gone: Message[] = [];
  const newest = newestSaid(shelf);
  const kept: Message[] = [];
  for (const message of shelf.messages) (goes(message) ? gone : kept).push(message);
  shelf.messages = kept;
  const heard = heardAt(newest);
  if (heard !== null && newestSaid(shelf) !== newest) shelf.goneThrough = Math.max(shelf.goneThrough ?? heard, heard);
  for (const message of gone) {
    shelf.pending.delete(message.seq);
    shelf.identities.delete(identity(message));
  }
  return gone;
}

/** From when on a session may have missed something; null when it never held a message. */
export function shelfUnheardFrom(shelf: Shelf): number | null {
  return unheardFrom(heardAt(newestSaid(shelf)), shelf.goneThrough);
}

function newestSaid({ messages }: Shelf): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function identity({ role, platformId }: Pick<Message, 'role' | 'platformId'>): string {
  return `${role} ${platformId}`;
}

function newShelf(id: string): Shelf {
  const session = { id, parentId: null, serverId: null };
  const empty = {
    messages: [],
    identities: new Set<string>(),
    pending: new Set<number>(),
    summaries: [],
    authors: new Map<string, string>(),
  };
  return { session, epoch: 0, revision: 0, sweptThrough: 0, goneThrough: null, ...empty };
}
