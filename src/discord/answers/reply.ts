import { TurnForgotten } from '../../chatbot/turn.js';
import { KeepsakeError } from '../../conversation/errors.js';
import { cleanText } from '../../conversation/message.js';
import { type Turn, triggerIdOf } from '../../conversation/store.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import { DeliveryError } from '../shared/delivery-error.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { MessagePoster, type PosterOptions, viewsOf } from './message-poster.js';
import type { AnswerTarget, MessageView } from './target.js';

/** Wakes whoever waits for something new: `next` resolves at the next `tell`. */
type Signal = { next(): Promise<void>; tell(): void };

/** Starts with nothing new. */
function createSignal(): Signal {
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

/** What a reply is made of. */
export type ReplyOptions = Omit<PosterOptions, 'stopLabel'> & {
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

type State = {
  text: string;
  streaming: boolean;
  line: string | null;
  failure: { error: unknown } | null;
  /** Whether files may be attached, as far as is known. */
  attach: boolean;
};

/**
 * Prepares to show one answer: the first text at once, later ones by edits at the pace of the channel, one request at
 * a time, never the same text twice.
 */
export function createReply(parts: ReplyOptions): Reply {
  const state: State = { text: '', streaming: true, line: null, failure: null, attach: true };
  const news = createSignal();
  const views = () => {
    if (state.failure !== null && poster.messageIds().length === 0) state.text = '';
    const broken = state.failure === null || state.text === '' ? null : parts.ending?.(state.failure.error);
    return viewsOf(shownText(state), { ...state, line: state.line ?? broken ?? null }, parts.words);
  };
  const poster: MessagePoster = new MessagePoster({ ...parts, stopLabel: parts.words.stop }, views);

  async function showAll(): Promise<void> {
    for (;;) {
      const arrived = news.next();
      // As it is now: when the text ends while the step looks at it, another look is due.
      const whole = !state.streaming;
      if (await stepOn(poster, state, views)) continue;
      if (poster.removed) throw new DeliveryError('gone');
      if (whole) return;
      await arrived;
    }
  }

  /** What the store refused can still be said in the channel; what Discord refused is left as it was shown. */
  async function sayEnd(error: unknown): Promise<void> {
    if (error instanceof DeliveryError || poster.messageIds().length === 0) return leave(error);
    state.streaming = false;
    await showAll().catch(leave);
  }

  function leave(error: unknown): Promise<void> {
    return poster.leave(error, parts.words.brokenOff);
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

/** Takes the next step; where the right to attach files may be what is missing, all but the file is shown. */
async function stepOn(poster: MessagePoster, state: State, views: () => MessageView[]): Promise<boolean> {
  try {
    return await poster.step();
  } catch (error) {
    const refused = error instanceof DeliveryError && error.code === 'no-permission';
    if (!refused || !state.attach || views().every(({ file }) => file === null)) throw error;
    state.attach = false;
    return true;
  }
}

/** Takes the pieces in as they come, whatever is being sent meanwhile; an error ends them. */
async function read(pieces: AsyncIterator<string>, state: State, news: Signal): Promise<void> {
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

/** The text as the store keeps it; half a surrogate pair waits for its other half. */
function shownText({ text, streaming }: State): string {
  return cleanText(streaming ? text.replace(/[\uD800-\uDBFF]$/u, '') : text);
}

/** Prepares to show a turn's answer in its room, each chunk planned in the store before it is sent. */
export function createTurnReply(ctx: BotContext, target: AnswerTarget, turn: Turn, running: RunningAnswer): Reply {
  const { sessionId } = turn;
  const { words } = target;
  const { deliveries } = ctx.chatbot;
  const answerTo = triggerIdOf(turn);
  let stopTyping = () => {};
  const reply = createReply({
    channel: target.replyChannel(turn),
    triggerId: answerTo,
    editThrottle: ctx.editThrottle,
    words: words.reply,
    pausesMs: ctx.options.pausesMs,
    plan: (chunk) =>
      deliveries.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null }),
    confirm: (chunk, messageId) => deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    onFirstText: () => stopTyping(),
    ending: (error) => (running.stopped() === 'shutdown' ? interruptedNotice(target) : endingOf(error, words)),
  });
  return {
    ...reply,
    deliver(pieces) {
      stopTyping = target.startTyping();
      return reply.deliver(pieces).finally(stopTyping);
    },
  };
}

/** What an answer says that waits for a better time: it goes on only where the bot can write by itself. */
export function interruptedNotice({ words, channel }: Pick<AnswerTarget, 'words' | 'channel'>): string {
  return channel === null ? words.reply.interruptedForGood : words.reply.interrupted;
}

/** The remark below a text that broke off; a forgotten one goes, or is written anew. */
function endingOf(error: unknown, words: Words): string | null {
  if (error instanceof TurnForgotten) return null;
  if (!(error instanceof KeepsakeError)) return words.reply.brokenOff;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}
