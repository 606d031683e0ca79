import { TurnForgottenError } from '../../chatbot/turn.js';
import { KeepsakeError } from '../../conversation/errors.js';
import { cleanText } from '../../conversation/message.js';
import { type Turn, triggerIdOf } from '../../conversation/store.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import { DeliveryError } from '../shared/delivery-error.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { MessagePoster, type PosterOptions, viewsOf } from './message-poster.js';
import type { AnswerTarget, MessageView } from './target.js';

/** An answer being shown in a channel. */
export type Reply = {
  /** The message that is answered. */
  readonly triggerId: string;
  /**
   * Shows a text as it streams, and resolves when Discord shows all of it without a stop button. When `pieces` throws,
   * what came stays, with the remark for the error and without a button (nothing is shown if nothing was), and it rejects
   * with that error. What Discord refuses rejects with a `DeliveryError`: `gone` when a message of the answer was
   * deleted, by somebody or through `remove`; the caller then aborts what makes the pieces.
   */
  deliver(pieces: AsyncIterable<string>): Promise<void>;
  /** Adds a remark below the text, or shows it alone when no text is shown; only after `deliver` has ended. */
  close(remark: string): Promise<void>;
  /** The messages that show the answer, by chunk. */
  messageIds(): string[];
  /** Deletes the answer's messages, also while it is delivered; those that are gone already do not matter. */
  remove(): Promise<void>;
};

/** Prepares to show a turn's answer in its target; each chunk is planned in the store before it is sent. */
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
    sleep: ctx.sleep,
    words: words.reply,
    pausesMs: ctx.options.pausesMs,
    plan: (chunk) =>
      deliveries.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null }),
    confirm: (chunk, messageId) => deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    onFirstText: () => stopTyping(),
    remarkFor: (error) => (running.stopped() === 'shutdown' ? interruptedNotice(target) : remarkForError(error, words)),
  });
  return {
    ...reply,
    deliver(pieces) {
      stopTyping = target.startTyping();
      return reply.deliver(pieces).finally(stopTyping);
    },
  };
}

/** The remark below an interrupted answer: it is completed later only where the bot can write by itself. */
export function interruptedNotice({ words, channel }: Pick<AnswerTarget, 'words' | 'channel'>): string {
  return channel === null ? words.reply.interruptedForGood : words.reply.interrupted;
}

/** The remark below a text that broke off; a forgotten one is removed or written anew, so it has none. */
function remarkForError(error: unknown, words: Words): string | null {
  if (error instanceof TurnForgottenError) return null;
  if (!(error instanceof KeepsakeError)) return words.reply.brokenOff;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}

/** What a reply is made of. */
export type ReplyOptions = Omit<PosterOptions, 'stopLabel'> & {
  words: Words['reply'];
  /** The remark below a text that broke off with this error; null for none. */
  remarkFor(error: unknown): string | null;
};

type State = {
  text: string;
  streaming: boolean;
  remark: string | null;
  failure: { error: unknown } | null;
  /** Whether files may be attached, as far as is known. */
  attach: boolean;
};

/**
 * Prepares to show one answer: the first text at once, later ones by edits at the throttle of the channel, one request at
 * a time, never the same text twice.
 */
export function createReply(options: ReplyOptions): Reply {
  const state: State = { text: '', streaming: true, remark: null, failure: null, attach: true };
  const changed = createSignal();
  const views = () => {
    if (state.failure !== null && poster.messageIds().length === 0) state.text = '';
    const forError = state.failure === null || state.text === '' ? null : options.remarkFor(state.failure.error);
    return viewsOf(shownText(state), { ...state, remark: state.remark ?? forError }, options.words);
  };
  const poster: MessagePoster = new MessagePoster({ ...options, stopLabel: options.words.stop }, views);

  async function showAll(): Promise<void> {
    for (;;) {
      const next = changed.next();
      // Read before the step: when the text ends while the step runs, another step is due.
      const complete = !state.streaming;
      if (await step(poster, state, views)) continue;
      if (poster.removed) throw new DeliveryError('gone');
      if (complete) return;
      await next;
    }
  }

  /** What the store refused can still be said in the channel; what Discord refused is left as it was shown. */
  async function showFailure(error: unknown): Promise<void> {
    if (error instanceof DeliveryError || poster.messageIds().length === 0) return leave(error);
    state.streaming = false;
    await showAll().catch(leave);
  }

  function leave(error: unknown): Promise<void> {
    return poster.leave(error, options.words.brokenOff);
  }

  return {
    triggerId: options.triggerId,
    async deliver(pieces) {
      const iterator = pieces[Symbol.asyncIterator]();
      const reading = readPieces(iterator, state, changed);
      try {
        await showAll();
        await reading;
      } catch (error) {
        // Not awaited: a generator that waits for the model returns only after the model has answered.
        if (state.streaming) void iterator.return?.().catch(() => undefined);
        state.failure ??= { error };
        await showFailure(error);
      }
      if (state.failure !== null) throw state.failure.error;
    },
    async close(remark) {
      if (poster.removed) return;
      state.remark = remark;
      state.streaming = false;
      await showAll();
    },
    messageIds: () => poster.messageIds(),
    remove() {
      const removal = poster.remove();
      changed.emit();
      return removal;
    },
  };
}

/** Takes the next step; where the permission to attach files may be missing, all but the file is shown. */
async function step(poster: MessagePoster, state: State, views: () => MessageView[]): Promise<boolean> {
  try {
    return await poster.step();
  } catch (error) {
    const refused = error instanceof DeliveryError && error.code === 'no-permission';
    if (!refused || !state.attach || views().every(({ file }) => file === null)) throw error;
    state.attach = false;
    return true;
  }
}

/** Appends the pieces as they arrive, whatever is being sent meanwhile; an error ends them. */
async function readPieces(pieces: AsyncIterator<string>, state: State, changed: Signal): Promise<void> {
  try {
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) {
      state.text += piece.value;
      changed.emit();
    }
  } catch (error) {
    state.failure ??= { error };
  }
  state.streaming = false;
  changed.emit();
}

/** The text as the store keeps it; half a surrogate pair waits for its other half. */
function shownText({ text, streaming }: State): string {
  return cleanText(streaming ? text.replace(/[\uD800-\uDBFF]$/u, '') : text);
}

/** Wakes whoever waits for a change: `next` resolves at the next `emit`. */
type Signal = { next(): Promise<void>; emit(): void };

function createSignal(): Signal {
  let resolveNext = () => {};
  const renew = () =>
    new Promise<void>((resolve) => {
      resolveNext = resolve;
    });
  let next = renew();
  return {
    next: () => next,
    emit() {
      resolveNext();
      next = renew();
    },
  };
}
