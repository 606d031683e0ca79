import {
  AttachmentBuilder,
  type BaseMessageOptions,
  type Message,
  type MessageCreateOptions,
  type MessageEditOptions,
  MessageFlags,
  type SendableChannels,
} from 'discord.js';
import type { Session } from '../../conversation/session.js';
import type { Turn } from '../../conversation/store.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import { withDeliveryErrors } from '../shared/delivery-error.js';
import { isSnowflake } from '../shared/format.js';
import { type NoticeTarget, REFUSAL_COOLDOWN_MS } from '../shared/notices.js';
import { NO_PINGS } from '../shared/respond.js';
import { type StopButton, stopRow } from './stop-button.js';

/** Where a session is answered, how, and in which language. */
export type AnswerTarget = {
  session: Session;
  words: Words;
  /** The channel in which messages of the session are looked up and marked; null where the bot has no access to it. */
  channel: SendableChannels | null;
  /** Where the answer to a turn is shown. */
  replyChannel(turn: Turn): ReplyChannel;
  /** Shows that an answer is on its way; call the result to end that. */
  startTyping(): () => void;
  /** Where a notice about a question goes. */
  noticeTarget(questionId: string): NoticeTarget;
  /** Called once Discord has refused to show an answer and would refuse any other. */
  refused(): Promise<void>;
};

/** Answers by replies in a channel; one that refuses them is left alone for a minute. */
export function channelTarget(
  { cooldowns }: Pick<BotContext, 'cooldowns'>,
  given: { session: Session; channel: SendableChannels; words: Words },
): AnswerTarget {
  const { channel } = given;
  return {
    ...given,
    replyChannel: () => replyChannel(channel),
    startTyping: () => startTyping(channel),
    noticeTarget: (messageId) => ({ kind: 'message', channel, messageId }),
    refused: async () => cooldowns.start(channel.id, REFUSAL_COOLDOWN_MS),
  };
}

/** What one message of an answer shows: its text, whether with a stop button, and a text as a file. */
export type MessageView = { content: string; stoppable: boolean; file: string | null };

/** Whether two views look the same; `null` is what is not known. */
export function sameView(view: MessageView, other: MessageView | null): boolean {
  if (other === null) return false;
  return view.content === other.content && view.stoppable === other.stoppable && view.file === other.file;
}

/** How a new message is sent: once per nonce, and as a reply when a message is named. */
export type PostOptions = { nonce: string; replyTo: string | null };

/** A message as Discord took it; `same` is false when Discord returned an earlier one of that nonce with another text. */
export type PostResult = { id: string; same: boolean };

/** The requests that a reply makes of a channel; they reject with `DeliveryError`. `stop` describes the stop button. */
export type ReplyChannel = {
  readonly id: string;
  post(view: MessageView, options: PostOptions, stop: StopButton): Promise<PostResult>;
  edit(messageId: string, view: MessageView, stop: StopButton): Promise<void>;
  remove(messageId: string): Promise<void>;
};

/** Shows a reply in a channel of discord.js. */
export function replyChannel(channel: SendableChannels): ReplyChannel {
  return {
    id: channel.id,
    post: (view, options, stop) =>
      withDeliveryErrors(async () => {
        const message: Message = await channel.send(newMessage(view, options, stop));
        return { id: message.id, same: showsView(message, view) };
      }),
    edit: (messageId, view, stop) =>
      withDeliveryErrors(async () => {
        await channel.messages.edit(messageId, changedMessage(view, stop));
      }),
    remove: (messageId) => withDeliveryErrors(() => channel.messages.delete(messageId)),
  };
}

/** Whether a message shows a text as it was sent, with or without a button. */
export function showsView(message: Message, { content, stoppable }: MessageView): boolean {
  return message.content === content && message.components.length > 0 === stoppable;
}

function newMessage(view: MessageView, { nonce, replyTo }: PostOptions, stop: StopButton): MessageCreateOptions {
  return {
    ...viewPayload(view, stop),
    flags: MessageFlags.SuppressEmbeds,
    nonce,
    enforceNonce: true,
    ...(replyTo !== null && isSnowflake(replyTo) && { reply: { messageReference: replyTo, failIfNotExists: false } }),
  };
}

function changedMessage(view: MessageView, stop: StopButton): MessageEditOptions {
  return {
    ...viewPayload(view, stop),
    flags: MessageFlags.SuppressEmbeds,
    ...(view.file !== null && { attachments: [] }),
  };
}

/** Converts a view to Discord's payload. An edit without `allowedMentions` would ping by Discord's defaults. */
export function viewPayload({ content, stoppable, file }: MessageView, stop: StopButton) {
  return {
    content,
    allowedMentions: NO_PINGS,
    components: stoppable ? [stopRow(stop)] : [],
    ...(file !== null && { files: [new AttachmentBuilder(Buffer.from(file), { name: 'answer.md' })] }),
  } satisfies BaseMessageOptions;
}

/** A channel that can show that the bot is typing. */
type TypingChannel = { sendTyping(): Promise<unknown> };

/** Discord shows the indicator for ten seconds; it is renewed before that. */
const TYPING_REFRESH_MS = 8_000;
const MAX_TYPING_MS = 120_000;

/**
 * Shows the typing indicator until the returned function is called, for two minutes at most. Errors are ignored; after a
 * refusal that will not change (403, 404) it is not asked for again.
 */
export function startTyping(channel: TypingChannel): () => void {
  let requesting = false;
  const request = async () => {
    if (requesting) return;
    requesting = true;
    try {
      await channel.sendTyping();
    } catch (error) {
      if (isFinal(error)) stop();
    }
    requesting = false;
  };
  const refresh = setInterval(() => void request(), TYPING_REFRESH_MS);
  const end = setTimeout(() => stop(), MAX_TYPING_MS);
  const stop = () => {
    clearInterval(refresh);
    clearTimeout(end);
  };
  refresh.unref();
  end.unref();
  void request();
  return stop;
}

function isFinal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 403 || status === 404;
}
