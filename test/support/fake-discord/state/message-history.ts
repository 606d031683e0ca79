import type { APIMessage } from 'discord.js';
import { type Clock, compareSnowflakes } from '../shared/clock.js';

/** A message as stored. The message it replies to and its thread are looked up when it is sent out. */
export type StoredMessage = Omit<APIMessage, 'referenced_message' | 'thread'>;

/** A page of a history; at most one of the three ids is given. */
type PageQuery = { before?: string; after?: string; around?: string; limit: number };

/** The messages of a channel in the order of their ids. */
export type History = {
  /** All messages, oldest first. */
  all(): readonly StoredMessage[];
  /** Messages newer than this id, oldest first. */
  after(id: string): StoredMessage[];
  find(id: string): StoredMessage | undefined;
  add(message: StoredMessage): void;
  remove(id: string): StoredMessage | undefined;
  /** Returns a page as Discord does: newest first; `after` takes the oldest ones after that id. */
  page(page: PageQuery): StoredMessage[];
};

/** Creates an empty history. It keeps `channelIds` (channel id by message id, of all channels) up to date. */
export function createHistory(channelId: string, channelIds: Map<string, string>): History {
  const messages: StoredMessage[] = [];
  /** Returns where the id is, or where it would be inserted. */
  const indexOf = (id: string): number => {
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
    const message = messages[indexOf(id)];
    return message?.id === id ? message : undefined;
  };
  const indexAfter = (id: string) => indexOf(id) + (find(id) === undefined ? 0 : 1);
  const pageBounds = ({ before, after, around, limit }: PageQuery): [from: number, to: number] => {
    if (after !== undefined) return [indexAfter(after), indexAfter(after) + limit];
    if (around !== undefined) {
      const from = indexOf(around) - Math.floor(limit / 2);
      return [from, Math.max(0, from) + limit];
    }
    const to = before === undefined ? messages.length : indexOf(before);
    return [to - limit, to];
  };
  return {
    all: () => messages,
    after: (id) => messages.slice(indexAfter(id)),
    find,
    add(message) {
      channelIds.set(message.id, channelId);
      messages.splice(indexOf(message.id), 0, message);
    },
    remove(id) {
      channelIds.delete(id);
      return find(id) === undefined ? undefined : messages.splice(indexOf(id), 1)[0];
    },
    page(query) {
      const [from, to] = pageBounds(query);
      return messages.slice(Math.max(0, from), to).reverse();
    },
  };
}

/** Message ids by author and nonce, by which a repeated post is recognized. */
export type Nonces = {
  find(authorId: string, nonce: string): string | undefined;
  keep(authorId: string, nonce: string, messageId: string): void;
};

/** Creates an empty table whose entries expire after `lifeMs` milliseconds. */
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
