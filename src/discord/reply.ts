import { cleanText } from '../conversation/message.js';
import type { Words } from '../words/en.js';
import { DeliveryError } from './delivery-error.js';
import { Poster } from './poster.js';
import type { PosterParts } from './poster-parts.js';
import { viewsOf } from './reply-views.js';

/** What a reply is made of. */
export type ReplyParts = Omit<PosterParts, 'stopLabel'> & {
  words: Words['reply'];
  /** The remark below a text that broke off with this error; null for none. */
  ending?: (error: unknown) => string | null;
};

/** An answer being shown in a channel. */
export type Reply = {
  /** The message that is answered. */
  readonly triggerId: string;
  /**
   * Shows a text as it comes, and resolves when Discord shows all of it without a stop button. When `pieces` throws,
   * what came stays, with the remark of `ending` and without a button (nothing is shown if nothing was), and it rejects
   * with that error. What Discord refuses rejects with a `DeliveryError`: `gone` when a message of the answer was
   * deleted, by somebody or through `remove`; the caller then aborts what makes the pieces.
   */
  deliver(pieces: AsyncIterable<string>): Promise<void>;
  /** Adds a remark below the text, or says it alone when no text is shown; only after `deliver` has ended. */
  close(line: string): Promise<void>;
  /** The messages that show the answer, by chunk. */
  messageIds(): string[];
  /** Deletes the answer's messages, also while it is delivered; those that are gone already do not matter. */
  remove(): Promise<void>;
};

type State = { text: string; streaming: boolean; line: string | null; failure: { error: unknown } | null };

/**
 * Prepares to show one answer: the first text at once, later ones by edits at the pace of the channel, one request at
 * a time, never the same text twice.
 */
export function createReply(parts: ReplyParts): Reply {
  const state: State = { text: '', streaming: true, line: null, failure: null };
  const news = createNews();
  const poster: Poster = new Poster({ ...parts, stopLabel: parts.words.stop }, () => {
    if (state.failure !== null && poster.messageIds().length === 0) state.text = '';
    const broken = state.failure === null || state.text === '' ? null : parts.ending?.(state.failure.error);
    return viewsOf(shownText(state), state.streaming, state.line ?? broken ?? null, parts.words);
  });

  async function showAll(): Promise<void> {
    for (;;) {
      const arrived = news.next();
      if (await poster.step()) continue;
      if (poster.removed) throw new DeliveryError('gone');
      if (!state.streaming) return;
      await arrived;
    }
  }

  /** What the store refused can still be said in the channel; what Discord refused cannot. */
  async function sayEnd(error: unknown): Promise<void> {
    if (error instanceof DeliveryError || poster.messageIds().length === 0) return poster.unbutton(error);
    state.streaming = false;
    await showAll().catch(() => poster.unbutton(error));
  }

  return {
    triggerId: parts.triggerId,
    async deliver(pieces) {
      const iterator = pieces[Symbol.asyncIterator]();
      const reading = read(iterator, state, news);
      try {
        await showAll();
        await reading;
      } catch (error) {
        // Not awaited: a generator that waits for the model takes its return only after that.
        if (state.streaming) void iterator.return?.().catch(() => undefined);
        state.failure ??= { error };
        await sayEnd(error);
      }
      if (state.failure !== null) throw state.failure.error;
    },
    async close(line) {
      if (poster.removed) return;
      state.line = line;
      state.streaming = false;
      await showAll();
    },
    messageIds: () => poster.messageIds(),
    remove() {
      const removal = poster.remove();
      news.tell();
      return removal;
    },
  };
}

/** Takes the pieces in as they come, whatever is being sent meanwhile; an error ends them. */
async function read(pieces: AsyncIterator<string>, state: State, news: News): Promise<void> {
  try {
    for (let step = await pieces.next(); step.done !== true; step = await pieces.next()) {
      state.text += step.value;
      news.tell();
    }
  } catch (error) {
    state.failure ??= { error };
  }
  state.streaming = false;
  news.tell();
}

type News = { next(): Promise<void>; tell(): void };

function createNews(): News {
  let tell = () => {};
  let told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    next: () => told,
    tell() {
      tell();
      told = new Promise((resolve) => {
        tell = resolve;
      });
    },
  };
}

/** The text as the store keeps it; half a surrogate pair waits for its other half. */
function shownText({ text, streaming }: State): string {
  return cleanText(streaming ? text.replace(/[\uD800-\uDBFF]$/u, '') : text);
}
