import type { APIMessage } from 'discord.js';
import { type Clock, compareSnowflakes } from '../shared/clock.js';

/** A message as it is kept: what it refers to is looked up when it is rendered. */
export type StoredMessage = Omit<APIMessage, 'referenced_message' | 'thread'>;

/** Which page of a history is wanted; at most one of the three ids is given. */
type PageQuery = { before?: string; after?: string; around?: string; limit: number };

/** The messages of one channel in the order of their ids. */
export type History = {
  /** All messages, oldest first. */
  all(): readonly StoredMessage[];
  /** Those that are newer than this id, oldest first. */
  after(id: string): StoredMessage[];
  find(id: string): StoredMessage | undefined;
  add(message: StoredMessage): void;
  remove(id: string): StoredMessage | undefined;
  /** A page as Discord gives it: newest first; `after` means the oldest ones after that id. */
  page(page: PageQuery): StoredMessage[];
};

/** An empty history. `homes` learns in which channel each message is. */
export function createHistory(channelId: string, homes: Map<string, string>): History {
  const messages: StoredMessage[] = [];
  const place = (id: string): number => {
    let low = 0;
    let high = messages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareSnowflakes(messages[middle]!.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const find = (id: string) => {
    const message = messages[place(id)];
    return message?.id === id ? message : undefined;
  };
  return {
    all: () => messages,
    after: (id) => messages.slice(place(id) + (find(id) === undefined ? 0 : 1)),
    find,
    add(message) {
      homes.set(message.id, channelId);
      messages.splice(place(message.id), 0, message);
    },
    remove(id) {
      homes.delete(id);
      return find(id) === undefined ? undefined : messages.splice(place(id), 1)[0];
    },
    page({ before, after, around, limit }) {
      const [from, to] = pageBounds({ before, after, around, limit, place, count: messages.length, found: find });
      return messages.slice(Math.max(0, from), to).reverse();
    },
  };
}

type PageBoundsInput = {
  before: string | undefined;
  after: string | undefined;
  around: string | undefined;
  limit: number;
  count: number;
  place(id: string): number;
  found(id: string): unknown;
};

function pageBounds({
  before,
  after,
  around,
  limit,
  count,
  place,
  found,
}: PageBoundsInput): [from: number, to: number] {
  if (after !== undefined) {
    const from = place(after) + (found(after) === undefined ? 0 : 1);
    return [from, from + limit];
  }
  if (around !== undefined) {
    const from = place(around) - Math.floor(limit / 2);
    return [from, Math.max(0, from) + limit];
  }
  const to = before === undefined ? count : place(before);
  return [to - limit, to];
}

/** Which message an author made with a nonce lately. */
export type Nonces = {
  find(authorId: string, nonce: string): string | undefined;
  keep(authorId: string, nonce: string, messageId: string): void;
};

/** A memory that forgets after `lifeMs` milliseconds. */
export function createNonces(clock: Clock, lifeMs: number): Nonces {
  const kept = new Map<string, { messageId: string; at: number }>();
  return {
    find(authorId, nonce) {
      const found = kept.get(`${authorId}:${nonce}`);
      return found !== undefined && clock.now() - found.at <= lifeMs ? found.messageId : undefined;
    },
    keep: (authorId, nonce, messageId) => void kept.set(`${authorId}:${nonce}`, { messageId, at: clock.now() }),
  };
}
