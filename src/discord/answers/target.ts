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
import { asDeliveryError } from '../shared/delivery-error.js';
import { type NoticeOptions, type NoticeResult, REFUSAL_COOLDOWN_MS, sendNotice } from '../shared/notices.js';
import { type StopButton, stopRow } from './stop-button.js';

/** What one message of an answer shows: its text, whether with a stop button, and a text as a file. */
export type MessageView = { content: string; stoppable: boolean; file: string | null };

/** Whether two views look the same; `null` is what is not known. */
export function sameView(view: MessageView, other: MessageView | null): boolean {
  if (other === null) return false;
  return view.content === other.content && view.stoppable === other.stoppable && view.file === other.file;
}

/** How a new message is sent: once per nonce, and as a reply when a message is named. */
export type PostOptions = { nonce: string; replyTo: string | null };

/** A message as Discord took it; `same` is false when an earlier one of that nonce, with another text, came back. */
export type PostResult = { id: string; same: boolean };

/**
 * The verbs that a reply needs of a channel; all of them reject with a `DeliveryError`. `stop` is what the custom id
 * of the stop button carries, with its label.
 */
export type ReplyChannel = {
  readonly id: string;
  post(view: MessageView, posting: PostOptions, stop: StopButton): Promise<PostResult>;
  edit(messageId: string, view: MessageView, stop: StopButton): Promise<void>;
  remove(messageId: string): Promise<void>;
};

/** A channel of discord.js as a reply's channel. */
export function replyChannel(channel: SendableChannels): ReplyChannel {
  return {
    id: channel.id,
    post: (view, posting, stop) =>
      withDeliveryErrors(async () => {
        const message: Message = await channel.send(newMessage(view, posting, stop));
        return { id: message.id, same: showsView(message, view) };
      }),
    edit: (messageId, view, stop) =>
      withDeliveryErrors(async () => {
        await channel.messages.edit(messageId, changedMessage(view, stop));
      }),
    remove: (messageId) => withDeliveryErrors(() => channel.messages.delete(messageId)),
  };
}

/** Makes a request; what Discord refuses or does not answer rejects with a `DeliveryError`. */
export async function withDeliveryErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw asDeliveryError(error);
  }
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

/** A view as Discord takes it. An edit without `allowedMentions` would ping by Discord's defaults, so it says that too. */
export function viewPayload({ content, stoppable, file }: MessageView, stop: StopButton) {
  return {
    content,
    allowedMentions: { parse: [], repliedUser: false },
    components: stoppable ? [stopRow(stop)] : [],
    ...(file !== null && { files: [new AttachmentBuilder(Buffer.from(file), { name: 'answer.md' })] }),
  } satisfies BaseMessageOptions;
}

/** Whether a platform id is a message's; what was asked by a command has no message to reply to. */
export function isSnowflake(id: string): boolean {
  return /^\d+$/u.test(id);
}

/** A channel that can show that the bot is typing. */
type TypingChannel = { sendTyping(): Promise<unknown> };

/** Discord shows typing for ten seconds; it is asked for again before that. */
const REFRESH_MS = 8_000;
const LONGEST_MS = 120_000;

/**
 * Shows the typing indicator until the returned function is called, for two minutes at most. Refusals are ignored; after
 * one that will not change (403, 404) it is not asked for again.
 */
export function startTyping(channel: TypingChannel): () => void {
  let asking = false;
  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      await channel.sendTyping();
    } catch (error) {
      if (isFinal(error)) stop();
    }
    asking = false;
  };
  const refresh = setInterval(() => void ask(), REFRESH_MS);
  const end = setTimeout(() => stop(), LONGEST_MS);
  const stop = () => {
    clearInterval(refresh);
    clearTimeout(end);
  };
  refresh.unref();
  end.unref();
  void ask();
  return stop;
}

function isFinal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 403 || status === 404;
}

/** Where a session is answered, how, and in which words. */
export type AnswerTarget = {
  session: Session;
  words: Words;
  /** The channel in which messages of the session are looked for and marked; null where the bot has no access to it. */
  channel: SendableChannels | null;
  /** Where the answer to a turn is shown. */
  replyChannel(turn: Turn): ReplyChannel;
  /** Shows that an answer is on its way; call the result to end that. */
  startTyping(): () => void;
  /** Says one sentence about a question, in reply to it. */
  say(sentence: string, questionId: string, manner?: NoticeOptions): Promise<NoticeResult>;
  /** What is done once Discord has refused to show an answer, and would refuse any other. */
  refused(): Promise<void>;
};

/** A channel as a room: answers are replies in it, and where it refuses one it is left alone for a while. */
export function channelTarget(
  ctx: Pick<BotContext, 'cooldowns'>,
  given: { session: Session; channel: SendableChannels; words: Words },
): AnswerTarget {
  const { channel } = given;
  return {
    ...given,
    replyChannel: () => replyChannel(channel),
    startTyping: () => startTyping(channel),
    say: (sentence, questionId, manner) => sendNotice(ctx, channel, questionId, sentence, manner),
    refused: async () => ctx.cooldowns.start(channel.id, REFUSAL_COOLDOWN_MS),
  };
}
