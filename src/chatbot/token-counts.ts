import {
  countedTextOf,
  cutMark,
  MESSAGE_OVERHEAD,
  type Message,
  renderLine,
  type TokenCount,
} from '../conversation/message.js';
import type { Encoding, TokenCounter } from '../conversation/model.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Dependencies } from './dependencies.js';

/** Counts the tokens of one text. */
export async function countText(counter: TokenCounter, text: string, encoding: Encoding): Promise<number> {
  const [tokens = 0] = await counter.count([text], encoding);
  return tokens;
}

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
    countedText: countedTextOf(message),
    tokens: (counts[i] ?? 0) + MESSAGE_OVERHEAD,
    encoding,
  }));
}

/** Counts the messages that have no count yet, and stores these counts. */
export async function ensureCounts(
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
    const count = bySeq.get(message.seq) ?? message;
    return { ...message, tokens: count.tokens, encoding: count.encoding };
  });
}

/**
 * Cuts a text to at most `maxTokens`: keeps its head and its tail around a visible mark. Text that fits is returned as it
 * is; where not even the mark fits, the mark alone is returned.
 */
export async function truncateToTokens(
  counter: TokenCounter,
  text: string,
  maxTokens: number,
  encoding: Encoding,
): Promise<string> {
  let tokens = await countText(counter, text, encoding);
  let kept = text.length;
  let truncated = text;
  while (tokens > maxTokens && kept > 0) {
    kept = Math.max(0, Math.min(kept - 1, Math.floor((kept * Math.max(maxTokens - 16, 0) * 0.95) / tokens)));
    truncated = cutMiddle(text, kept);
    tokens = await countText(counter, truncated, encoding);
  }
  return truncated;
}

/** Keeps about `kept` characters of a text, two thirds of them from its head, with a mark that says how many are missing. */
function cutMiddle(text: string, kept: number): string {
  const head = text.slice(0, Math.ceil((kept * 2) / 3));
  const tail = kept - head.length > 0 ? text.slice(-(kept - head.length)) : '';
  const missing = text.length - head.length - tail.length;
  return `${head} ${cutMark(missing)} ${tail}`.toWellFormed();
}

/** Counts stored messages in the background; when a count fails, the next recall that needs it counts again. */
export class BackgroundCounter {
  readonly #deps: Dependencies;
  #uncounted: Message[] = [];
  #counting: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Queues a message; those queued while a count runs are counted together. */
  add(message: Message): void {
    this.#uncounted.push(message);
    if (this.#uncounted.length > 1) return;
    this.#counting = this.#counting
      .then(() => this.#flush())
      .catch((error) => this.#deps.logger.warn({ error }, 'failed to count tokens of new messages'));
  }

  /** Resolves when every message added so far is counted. */
  settled(): Promise<void> {
    return this.#counting;
  }

  async #flush(): Promise<void> {
    const batch = this.#uncounted;
    this.#uncounted = [];
    const { counter, store, modelNamed, options } = this.#deps;
    await store.saveCounts(await countMessages(counter, batch, modelNamed(options.defaultModel).encoding));
  }
}
