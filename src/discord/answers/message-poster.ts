import type { Sleep } from '../../conversation/clock.js';
import { faultStep } from '../../fault.js';
import type { Words } from '../../words/en.js';
import { DeliveryError, type DeliveryErrorCode, isGone } from '../shared/delivery-error.js';
import { MESSAGE_LIMIT } from '../shared/format.js';
import type { EditThrottle } from '../shared/rate-limits.js';
import { splitAnswer } from './split.js';
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
  sleep: Sleep;
  /** The pauses before the retries of what Discord did not answer, in milliseconds. */
  pausesMs: readonly number[];
  /** Stores the plan of a chunk before its first request. */
  plan(chunk: number): Promise<PlannedChunk>;
  /** Stores which message shows a chunk once Discord has taken it. */
  confirm(chunk: number, messageId: string): Promise<void>;
  /** Called just before the first message is sent. */
  onFirstText(): void;
};

/** After these errors an earlier message of the bot can still be edited. */
const EDITABLE: readonly DeliveryErrorCode[] = ['unreachable', 'blocked', 'rejected', 'no-history', 'no-permission'];

/** One message; `view` is null when it is not known what it shows. */
type Shown = { id: string; view: MessageView | null };

/** Sends the requests of one answer, one at a time, and knows what Discord shows; `views` tells what it should show. */
export class MessagePoster {
  removed = false;
  readonly #options: PosterOptions;
  readonly #views: () => MessageView[];
  readonly #shown: Shown[] = [];
  #replyTo: string | null;
  #failures = 0;
  #request: Promise<void> = Promise.resolve();

  constructor(options: PosterOptions, views: () => MessageView[]) {
    this.#options = options;
    this.#views = views;
    this.#replyTo = options.triggerId;
  }

  /** The messages sent so far, by chunk. */
  messageIds(): string[] {
    return this.#shown.map(({ id }) => id);
  }

  /**
   * Makes the next request that brings Discord closer to the wanted views; false when there is none to make. An edit
   * waits for its slot and then takes the newest view. What Discord did not answer is retried after each pause.
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
      if (this.removed || !(await this.#prepareRetry(error))) throw error;
    }
    return true;
  }

  /**
   * Removes the button from the newest message after `step` has thrown, where that can still succeed; where no more of the
   * answer will come, ends it with a remark.
   */
  async leave(error: unknown, remark: string): Promise<void> {
    const newest = this.#shown.at(-1);
    if (this.removed || newest === undefined) return;
    const code = error instanceof DeliveryError ? error.code : null;
    if (code !== null && !EDITABLE.includes(code)) return;
    const continues = code === null || code === 'unreachable';
    if (continues && newest.view?.stoppable !== true) return;
    const view = newest.view ?? plainView('');
    const left = continues ? { ...view, stoppable: false } : closedView(view, remark);
    await this.#options.editThrottle.edit(this.#options.channel.id);
    await this.#edit(newest, left).catch(() => undefined);
  }

  /** Deletes all messages once the running request has ended; no further one is made. */
  async remove(): Promise<void> {
    this.removed = true;
    await this.#request.catch(() => undefined);
    const failures: unknown[] = [];
    for (const { id } of this.#shown.splice(0)) {
      await this.#options.channel.remove(id).catch((error) => failures.push(error));
    }
    const failure = failures.find((error) => !isGone(error));
    if (failure !== undefined) throw failure;
  }

  async #begin(chunk: number): Promise<void> {
    const { sleep, plan, confirm, onFirstText } = this.#options;
    const planned = await plan(chunk);
    // Lets pieces that are ready arrive first, so that a short answer needs one request.
    await sleep(0);
    const view = this.#views()[chunk];
    if (this.removed || view === undefined) return;
    if (chunk === 0) onFirstText();
    if (planned.messageId !== null) {
      this.#shown[chunk] = { id: planned.messageId, view: null };
      return;
    }
    this.#request = this.#post(chunk, view, planned.nonce);
    await this.#request;
    await confirm(chunk, this.#shown[chunk]?.id ?? '');
  }

  async #change(chunk: number, message: Shown): Promise<void> {
    const { editThrottle, channel } = this.#options;
    await editThrottle.edit(channel.id);
    const view = this.#views()[chunk];
    if (this.removed || view === undefined || sameView(view, message.view)) return;
    this.#request = this.#edit(message, view);
    await this.#request;
  }

  async #post(chunk: number, view: MessageView, nonce: string): Promise<void> {
    const { channel, editThrottle } = this.#options;
    await faultStep('reply:before-post');
    const posted = await channel.post(view, { nonce, replyTo: chunk === 0 ? this.#replyTo : null }, this.#stop);
    this.#shown[chunk] = { id: posted.id, view: posted.same ? view : null };
    editThrottle.note(channel.id);
    await faultStep('reply:posted');
  }

  async #edit(message: Shown, view: MessageView): Promise<void> {
    const { channel, editThrottle } = this.#options;
    await faultStep('reply:before-edit');
    await channel.edit(message.id, view, this.#stop);
    message.view = view;
    editThrottle.note(channel.id);
    await faultStep('reply:edited');
  }

  get #stop() {
    return { triggerId: this.#options.triggerId, label: this.#options.stopLabel };
  }

  /** Whether the failed step is to be tried again, after the pause or the change that this takes. */
  async #prepareRetry(error: unknown): Promise<boolean> {
    if (!(error instanceof DeliveryError)) return false;
    if (error.code === 'no-history' && this.#replyTo !== null) {
      this.#replyTo = null;
      return true;
    }
    const pause = error.code === 'unreachable' ? this.#options.pausesMs[this.#failures] : undefined;
    if (pause === undefined) return false;
    this.#failures += 1;
    await this.#options.sleep(pause);
    return true;
  }
}

/** A longer answer ends in one more message, which carries the whole of it as a file. */
const MAX_MESSAGES = 5;

/** What a text is shown with: the stop button while it streams, a remark below it, and a file for what is too long. */
type ViewState = { streaming: boolean; remark: string | null; attach: boolean };

/**
 * The messages that show a text. While it streams, the newest has the stop button, and nothing is added after the fifth.
 * Where nothing may be attached, the last one says so.
 */
export function viewsOf(text: string, { streaming, remark, attach }: ViewState, words: Words['reply']): MessageView[] {
  const chunks = splitAnswer(text, { most: MAX_MESSAGES + 1 });
  const views = chunks.slice(0, MAX_MESSAGES).map(plainView);
  const newest = views.at(-1);
  if (streaming) {
    if (newest !== undefined) newest.stoppable = true;
    return views;
  }
  if (chunks.length > MAX_MESSAGES) {
    views.push(attach ? { ...plainView(words.wholeInFile), file: text } : plainView(words.cannotAttach));
  }
  return remark === null ? views : withRemark(views, remark);
}

/** Adds a remark to the last message in small print, or as a message of its own where it does not fit. */
function withRemark(views: MessageView[], remark: string): MessageView[] {
  const last = views.at(-1);
  const content = last === undefined ? remark : `${last.content}\n-# ${remark}`;
  if (last === undefined || content.length > MESSAGE_LIMIT) return [...views, plainView(remark)];
  return [...views.slice(0, -1), { ...last, content }];
}

/** A message to which nothing more comes: without a button, and with the remark where it fits. */
function closedView({ content, file }: MessageView, remark: string): MessageView {
  const whole = content === '' ? remark : `${content}\n-# ${remark}`;
  return { content: whole.length > MESSAGE_LIMIT ? content : whole, stoppable: false, file };
}

function plainView(content: string): MessageView {
  return { content, stoppable: false, file: null };
}
