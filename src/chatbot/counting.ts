import { countedOf, MESSAGE_OVERHEAD, type Message, renderLine, type TokenCount } from '../conversation/message.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Encoding, TokenCounter } from '../conversation/tokens.js';

/** Counts the rendered lines of messages, each with its separator and the chat format's overhead. */
export async function countMessages(
  counter: TokenCounter,
  messages: readonly Message[],
  encoding: Encoding,
): Promise<TokenCount[]> {
  const counts = await counter.count(
    messages.map((message) => `${renderLine(message)}\n`),
    encoding,
  );
  return messages.map((message, i) => ({
    seq: message.seq,
    of: countedOf(message),
    tokens: (counts[i] ?? 0) + MESSAGE_OVERHEAD,
    encoding,
  }));
}

/** Sees to it that every message has its count: those without one are counted, and the counts stored. */
export async function withCounts(
  store: ConversationStore,
  counter: TokenCounter,
  messages: readonly Message[],
  encoding: Encoding,
): Promise<Message[]> {
  const uncounted = messages.filter((message) => message.tokens === null);
  if (uncounted.length === 0) return [...messages];
  const counts = await countMessages(counter, uncounted, encoding);
  await store.saveCounts(counts);
  const bySeq = new Map(counts.map((count) => [count.seq, count]));
  return messages.map((message) => {
    const { tokens, encoding: by } = bySeq.get(message.seq) ?? message;
    return { ...message, tokens, encoding: by };
  });
}

/**
 * Cuts a text to at most `room` tokens: its head and its tail are kept around a visible mark. Text that fits is returned
 * as it is; a room without place for the mark gives the mark alone.
 */
export async function fitText(counter: TokenCounter, text: string, room: number, encoding: Encoding): Promise<string> {
  const measure = async (candidate: string) => (await counter.count([candidate], encoding))[0] ?? 0;
  let tokens = await measure(text);
  let kept = text.length;
  let fitted = text;
  while (tokens > room && kept > 0) {
    kept = Math.max(0, Math.min(kept - 1, Math.floor((kept * Math.max(room - 16, 0) * 0.95) / tokens)));
    fitted = cutMiddle(text, kept);
    tokens = await measure(fitted);
  }
  return fitted;
}

/** Keeps about `kept` characters of a text, two thirds of them from its head, with a mark that says how many are missing. */
export function cutMiddle(text: string, kept: number): string {
  const head = text.slice(0, Math.ceil((kept * 2) / 3));
  const tail = kept - head.length > 0 ? text.slice(-(kept - head.length)) : '';
  const missing = text.length - head.length - tail.length;
  return `${head} [… ${missing} characters left out …] ${tail}`.toWellFormed();
}
