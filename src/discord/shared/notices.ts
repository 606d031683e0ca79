import { type Message, MessageFlags, Routes, type SendableChannels } from 'discord.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Cooldowns } from './rate-limits.js';

/** A channel that refuses something is left alone with it for so long, since refusals count as invalid requests. */
export const REFUSAL_COOLDOWN_MS = 60_000;

/** What became of a sentence or mark: it can be seen, Discord refused it, or Discord is away and may take it later. */
export type NoticeResult = 'told' | 'refused' | 'away';

/**
 * How a sentence is said: `strict` says it only if the message that it replies to still stands; a `nonce` that is given
 * again within a few minutes lets it be said once, however often it is tried.
 */
export type NoticeOptions = { strict?: boolean; nonce?: string };

/** What of a door is needed to say something. */
type Teller = { cooldowns: Cooldowns };

/** Says one sentence in reply to a message; where the bot may not write, that is nobody's fault. False when it was not said. */
export async function replyNotice(ctx: Teller, message: Message, sentence: string): Promise<boolean> {
  if (!message.channel.isSendable()) return false;
  return (await sendNotice(ctx, message.channel, message.id, sentence)) === 'told';
}

/** Says one sentence in a channel, in reply to a message by its id; where the history is hidden it refers to none. */
export async function sendNotice(
  ctx: Teller,
  channel: SendableChannels,
  replyTo: string,
  sentence: string,
  { strict = false, nonce }: NoticeOptions = {},
): Promise<NoticeResult> {
  const reference = /^\d+$/u.test(replyTo) && { reply: { messageReference: replyTo, failIfNotExists: strict } };
  const said = {
    content: sentence,
    allowedMentions: { parse: [], repliedUser: false },
    flags: MessageFlags.SuppressEmbeds,
    ...(nonce !== undefined && { nonce, enforceNonce: true }),
  } as const;
  return withCooldown(ctx, channel.id, async () => {
    try {
      await channel.send({ ...said, ...reference });
    } catch (error) {
      const failure = asDeliveryError(error);
      if (strict || !(failure instanceof DeliveryError) || failure.code !== 'no-history') throw error;
      await channel.send(said);
    }
  });
}

/** Marks a message with a reaction of the bot. */
export async function react(ctx: Teller, message: Message, emoji: string): Promise<boolean> {
  return (await withCooldown(ctx, `reactions ${message.channelId}`, () => message.react(emoji))) === 'told';
}

/** Marks a message by its id. */
export async function reactById(
  ctx: Teller,
  channel: SendableChannels,
  messageId: string,
  emoji: string,
): Promise<NoticeResult> {
  if (!/^\d+$/u.test(messageId)) return 'refused';
  const route = Routes.channelMessageOwnReaction(channel.id, messageId, encodeURIComponent(emoji));
  return withCooldown(ctx, `reactions ${channel.id}`, () => channel.client.rest.put(route));
}

/** Takes a reaction of the bot away. */
async function unreact(
  ctx: Teller,
  message: Pick<Message, 'client' | 'channelId'>,
  id: string,
  emoji: string,
): Promise<boolean> {
  const route = Routes.channelMessageOwnReaction(message.channelId, id, encodeURIComponent(emoji));
  return (
    (await withCooldown(ctx, `reactions ${message.channelId}`, () => message.client.rest.delete(route))) === 'told'
  );
}

async function withCooldown(
  { cooldowns }: Teller,
  place: string,
  request: () => Promise<unknown>,
): Promise<NoticeResult> {
  if (cooldowns.isActive(place)) return 'refused';
  return tryRequest(request, (failure) => {
    if (isPermanent(failure)) cooldowns.start(place, REFUSAL_COOLDOWN_MS);
  });
}

/** Makes a request that says something, and tells what became of it; `onRefusal` learns why where Discord did not take it. */
export async function tryRequest(
  request: () => Promise<unknown>,
  onRefusal: (failure: DeliveryError) => void = () => {},
): Promise<NoticeResult> {
  try {
    await request();
    return 'told';
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    onRefusal(failure);
    return failure.code === 'unreachable' ? 'away' : 'refused';
  }
}

/** Whether the same would be refused again; a message that was deleted or an outage says nothing of the channel. */
export function isPermanent({ code }: DeliveryError): boolean {
  return (
    code !== 'gone' && code !== 'unreachable' && code !== 'no-history' && code !== 'rejected' && code !== 'blocked'
  );
}

/** Marks in place of sentences that were said lately are set in a channel at most this often, in milliseconds. */
const MARK_EVERY_MS = 1_000;

/** A sentence that is news once in `everyMs` milliseconds for all who share a `key`, and the mark that stands for it otherwise. */
type Notice = { key: string; everyMs: number; sentence: string; mark: string };

/** Says in reply to a message why nothing comes of it; a mark does where that was said lately, or cannot be said. */
export async function noticeOnce(ctx: { cooldowns: Cooldowns }, message: Message, notice: Notice): Promise<void> {
  const { key, everyMs, sentence, mark } = notice;
  if (ctx.cooldowns.tryStart(`${key} ${message.channelId}`, everyMs) && (await replyNotice(ctx, message, sentence)))
    return;
  if (ctx.cooldowns.tryStart(`marks ${message.channelId}`, MARK_EVERY_MS)) await react(ctx, message, mark);
}

/** The mark of a question that waits for an earlier answer in its session. */
const WAITING_MARK = '\u{23F3}';

/** The marks of the questions that wait. */
export type WaitingMarks = {
  /** Marks a message; nothing waits for it. */
  mark(message: Message): void;
  /** Takes the marks of these messages away, as far as they have one; `near` is any message of their channel. Never rejects. */
  unmark(near: Message, messageIds: readonly string[]): Promise<void>;
};

/** Starts with none; channels that refuse reactions are muted for them. */
export function createWaitingMarks(cooldowns: Cooldowns): WaitingMarks {
  const marked = new Map<string, Promise<boolean>>();
  return {
    mark(message) {
      marked.set(
        message.id,
        react({ cooldowns }, message, WAITING_MARK).catch(() => false),
      );
    },
    async unmark(near, messageIds) {
      for (const id of messageIds) {
        const mark = marked.get(id);
        marked.delete(id);
        // A question may be taken up while its mark is still on the way.
        if (await mark) await unreact({ cooldowns }, near, id, WAITING_MARK).catch(() => false);
      }
    },
  };
}
