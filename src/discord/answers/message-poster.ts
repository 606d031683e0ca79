import { faultStep } from '../../fault.js';
import type { Words } from '../../words/en.js';
import { DeliveryError, type DeliveryErrorCode, isGone } from '../shared/delivery-error.js';
import type { EditThrottle } from '../shared/rate-limits.js';
import { MESSAGE_LIMIT, splitAnswer } from './split.js';
import { type MessageView, type ReplyChannel, sameView } from './target.js';

/** What is known of a chunk before it is sent: the nonce of its message, and the message if it was sent already. */
type PlannedChunk = { nonce: string; messageId: string | null };

/** What the messages of one answer need to be sent. */
export type PosterOptions = {
  channel: ReplyChannel;
  /** The message that is answered: the first message replies to it, and the stop button names it. */
  triggerId: string;
  stopLabel: string;
  editThrottle: EditThrottle;
  /** Plans a chunk before its first request; by default under a nonce made of the trigger and the chunk. */
  plan?: (chunk: number) => Promise<PlannedChunk>;
  /** Learns which message shows a chunk once Discord has taken it. */
  confirm?: (chunk: number, messageId: string) => Promise<void>;
  /** The pauses before what Discord did not answer is tried again, in milliseconds. */
  pausesMs?: readonly number[];
  /** Called just before the first message is sent. */
  onFirstText?: () => void;
};

/** An answer of more messages than this ends in one more that carries the whole of it as a file. */
const MESSAGES_AT_MOST = 5;

/** What a text is shown with: the stop button while it streams, a remark that is not part of it, and a file for its rest. */
type ViewState = { streaming: boolean; line: string | null; attach: boolean };

/**
 * The messages that show a text. While it streams, the newest has the stop button, and nothing is added after
 * `MESSAGES_AT_MOST`. Where nothing may be attached, the last one says so.
 */
export function viewsOf(text: string, { streaming, line, attach }: ViewState, words: Words['reply']): MessageView[] {
  const chunks = splitAnswer(text, { most: MESSAGES_AT_MOST + 1 });
  const views = chunks.slice(0, MESSAGES_AT_MOST).map(plainView);
  const newest = views.at(-1);
  if (streaming) {
    if (newest !== undefined) newest.stoppable = true;
    return views;
  }
  if (chunks.length > MESSAGES_AT_MOST) {
    views.push(attach ? { ...plainView(words.wholeInFile), file: text } : plainView(words.cannotAttach));
  }
  return line === null ? views : withLine(views, line);
}

/** Adds the remark to the last message in small print, or as a message of its own where it does not fit. */
function withLine(views: MessageView[], line: string): MessageView[] {
  const last = views.at(-1);
  const content = last === undefined ? line : `${last.content}\n-# ${line}`;
  if (last === undefined || content.length > MESSAGE_LIMIT) return [...views, plainView(line)];
  return [...views.slice(0, -1), { ...last, content }];
}

/** A message to which nothing more comes: without a button, and with the remark where it fits. */
function closedView({ content, file }: MessageView, remark: string): MessageView {
  const whole = content === '' ? remark : `${content}\n-# ${remark}`;
  return { content: whole.length > MESSAGE_LIMIT ? content : whole, stoppable: false, file };
}

/** A message that shows a text and nothing else. */
function plainView(content: string): MessageView {
  return { content, stoppable: false, file: null };
}

const PAUSES_MS: readonly number[] = [1_000, 4_000, 10_000];
/** After these an earlier message of the bot can still be changed. */
const EDITABLE: readonly DeliveryErrorCode[] = ['unreachable', 'blocked', 'rejected', 'no-history', 'no-permission'];

/** One message; `view` is null when it is not known what it shows. */
type Shown = { id: string; view: MessageView | null };

/** Sends the requests of one answer, one at a time, and knows what Discord shows; `views` tells what it should. */
export class MessagePoster {
  removed = false;
  readonly #parts: PosterOptions;
  readonly #views: () => MessageView[];
  readonly #shown: Shown[] = [];
  #replyTo: string | null;
  #failures = 0;
  #flight: Promise<void> = Promise.resolve();

  constructor(parts: PosterOptions, views: () => MessageView[]) {
    this.#parts = parts;
    this.#views = views;
    this.#replyTo = parts.triggerId;
  }

  /** The messages sent so far, by chunk. */
  messageIds(): string[] {
    return this.#shown.map(({ id }) => id);
  }

  /**
   * Makes the next request that brings Discord closer to the wanted views; false when there is none to make. An edit
   * waits for its time and then takes the newest view. What Discord did not answer is tried again after each pause.
   * @throws {DeliveryError} when Discord refused.
   */
  async step(): Promise<boolean> {
    const chunk = this.removed
      ? -1
      : this.#views().findIndex((view, i) => !sameView(view, this.#shown[i]?.view ?? null));
    if (chunk === -1) return false;
    const message = this.#shown[chunk];
    try {
      await (message === undefined ? this.#begin(chunk) : this.#change(chunk, message));
      this.#failures = 0;
    } catch (error) {
      if (this.removed || !(await this.#mend(error))) throw error;
    }
    return true;
  }

  /**
   * Takes the button from the newest message after `step` has thrown, where that can still succeed; where no more of the
   * answer will come, it ends with a remark.
   */
  async leave(error: unknown, remark: string): Promise<void> {
    const newest = this.#shown.at(-1);
    if (this.removed || newest === undefined) return;
    const code = error instanceof DeliveryError ? error.code : null;
    if (code !== null && !EDITABLE.includes(code)) return;
    const goesOn = code === null || code === 'unreachable';
    if (goesOn && newest.view?.stoppable !== true) return;
    const view = newest.view ?? plainView('');
    await this.#parts.editThrottle.edit(this.#parts.channel.id);
    await this.#edit(newest, goesOn ? { ...view, stoppable: false } : closedView(view, remark)).catch(() => undefined);
  }

  /** Deletes all messages once the request under way has ended; no further one is made. */
  async remove(): Promise<void> {
    this.removed = true;
    await this.#flight.catch(() => undefined);
    const failures: unknown[] = [];
    for (const { id } of this.#shown.splice(0)) {
      await this.#parts.channel.remove(id).catch((error) => failures.push(error));
    }
    const failure = failures.find((error) => !isGone(error));
    if (failure !== undefined) throw failure;
  }

  async #begin(chunk: number): Promise<void> {
    const { triggerId, editThrottle, plan, confirm, onFirstText } = this.#parts;
    const planned = (await plan?.(chunk)) ?? { nonce: `${triggerId}:${chunk}`, messageId: null };
    // Text that is there already is taken in first, so that a short answer needs one request.
    await editThrottle.wait(0);
    const view = this.#views()[chunk];
    if (this.removed || view === undefined) return;
    if (chunk === 0) onFirstText?.();
    if (planned.messageId !== null) {
      this.#shown[chunk] = { id: planned.messageId, view: null };
      return;
    }
    this.#flight = this.#post(chunk, view, planned.nonce);
    await this.#flight;
    await confirm?.(chunk, this.#shown[chunk]?.id ?? '');
  }

  async #change(chunk: number, message: Shown): Promise<void> {
    const { editThrottle, channel } = this.#parts;
    await editThrottle.edit(channel.id);
    const view = this.#views()[chunk];
    if (this.removed || view === undefined || sameView(view, message.view)) return;
    this.#flight = this.#edit(message, view);
    await this.#flight;
  }

  async #post(chunk: number, view: MessageView, nonce: string): Promise<void> {
    const { channel, editThrottle } = this.#parts;
    await faultStep('reply:before-post');
    const posted = await channel.post(view, { nonce, replyTo: chunk === 0 ? this.#replyTo : null }, this.#stop);
    this.#shown[chunk] = { id: posted.id, view: posted.same ? view : null };
    editThrottle.note(channel.id);
    await faultStep('reply:posted');
  }

  async #edit(message: Shown, view: MessageView): Promise<void> {
    const { channel, editThrottle } = this.#parts;
    await faultStep('reply:before-edit');
    await channel.edit(message.id, view, this.#stop);
    message.view = view;
    editThrottle.note(channel.id);
    await faultStep('reply:edited');
  }

  get #stop() {
    return { triggerId: this.#parts.triggerId, label: this.#parts.stopLabel };
  }

  /** Whether to go on after an error, and prepares for that. */
  async #mend(error: unknown): Promise<boolean> {
    if (!(error instanceof DeliveryError)) return false;
    if (error.code === 'no-history' && this.#replyTo !== null) {
      this.#replyTo = null;
      return true;
    }
    const pause = error.code === 'unreachable' ? (this.#parts.pausesMs ?? PAUSES_MS)[this.#failures] : undefined;
    if (pause === undefined) return false;
    this.#failures += 1;
    await this.#parts.editThrottle.wait(pause);
    return true;
  }
}
