import { randomBytes } from 'node:crypto';
import { type Message, MessageFlags, type RepliableInteraction, Routes, type SendableChannels } from 'discord.js';
import { sleep } from '../../conversation/clock.js';
import type { BotContext } from './context.js';
import { asDeliveryError, DeliveryError, isChannelRefusal } from './delivery-error.js';
import { isSnowflake } from './format.js';
import type { Cooldowns } from './rate-limits.js';
import { editDeferredReply, NO_PINGS, replyPrivately } from './respond.js';

/** A channel that refuses messages or reactions gets none for so long: refusals count as invalid requests at Discord. */
export const REFUSAL_COOLDOWN_MS = 60_000;
/** Marks in place of sentences that were said lately are set in a channel at most this often, in milliseconds. */
const MARK_INTERVAL_MS = 1_000;
/** How often a notice is tried again that an outage has kept from being sent: for ten minutes, at the usual interval. */
const RETRIES = 20;

/** The reactions of the bot: a question that waits for an earlier answer, and one that gets none. */
const MARKS = { waiting: '\u{23F3}', failed: '\u{26A0}\u{FE0F}' } as const;

/** Where a notice goes: a reply in a channel, the answer of an interaction, or nowhere. */
export type NoticeTarget =
  | { kind: 'message'; channel: SendableChannels; messageId: string; mention?: string }
  | { kind: 'interaction'; interaction: RepliableInteraction }
  | { kind: 'none' };

/** What became of a notice or mark: Discord shows it, has refused it, or is unreachable and may take it later. */
export type NoticeResult = 'shown' | 'refused' | 'unreachable';

/** How a notice is given. */
export type NoticeOptions = {
  /** At most once in `everyMs` milliseconds and channel for all who share the key. */
  once?: { key: string; everyMs: number };
  /** Marks the message as failed where the sentence was given lately or is refused. */
  orMark?: boolean;
  /** Retries in the background while Discord is unreachable. */
  later?: boolean;
  /** To the asker of the interaction alone. */
  privately?: boolean;
  /** Only if the message that it replies to still stands. */
  strict?: boolean;
  /** Discord shows notices of one nonce once within a few minutes, however often they are sent. */
  nonce?: string;
};

/** Says one sentence to a target; a place where the bot may not write is no error. Resolves with what became of it. */
export async function sendNotice(
  ctx: Pick<BotContext, 'cooldowns' | 'client' | 'logger' | 'options'>,
  target: NoticeTarget,
  sentence: string,
  options: NoticeOptions = {},
): Promise<NoticeResult> {
  const { once, orMark = false, later = false } = options;
  if (once !== undefined && target.kind === 'message') {
    const first = ctx.cooldowns.tryStart(`${once.key} ${target.channel.id}`, once.everyMs);
    const result = first ? await send(ctx, target, sentence, options) : 'refused';
    if (result === 'shown' || !orMark || !ctx.cooldowns.tryStart(`marks ${target.channel.id}`, MARK_INTERVAL_MS)) {
      return result;
    }
    return addFailedMark(ctx, target);
  }
  // A retry after a lost response must not show it twice.
  const sent = later ? { nonce: randomBytes(12).toString('base64url'), ...options } : options;
  const attempt = async (): Promise<NoticeResult> => {
    const result = await send(ctx, target, sentence, sent);
    return result === 'refused' && orMark ? addFailedMark(ctx, target) : result;
  };
  const result = await attempt();
  if (result === 'unreachable' && later) void retry(ctx, attempt);
  return result;
}

/** Marks a message as failed. */
export function addFailedMark(ctx: { cooldowns: Cooldowns }, target: NoticeTarget): Promise<NoticeResult> {
  if (target.kind !== 'message') return Promise.resolve('refused');
  return react(ctx.cooldowns, target.channel, target.messageId, MARKS.failed);
}

/** A message of a person as the target of a notice. */
export function noticeTarget({ channel, id }: Message): NoticeTarget {
  return channel.isSendable() ? { kind: 'message', channel, messageId: id } : { kind: 'none' };
}

async function send(
  { cooldowns }: { cooldowns: Cooldowns },
  target: NoticeTarget,
  sentence: string,
  { privately = false, strict = false, nonce }: NoticeOptions,
): Promise<NoticeResult> {
  if (target.kind === 'none') return 'refused';
  if (target.kind === 'interaction') {
    const { interaction } = target;
    return attempt(() =>
      privately || interaction.replied
        ? replyPrivately(interaction, sentence)
        : editDeferredReply(interaction, sentence),
    );
  }
  const { channel, messageId, mention } = target;
  const reference = isSnowflake(messageId) && { reply: { messageReference: messageId, failIfNotExists: strict } };
  const payload = {
    content: mention === undefined ? sentence : `<@${mention}> ${sentence}`,
    allowedMentions: NO_PINGS,
    flags: MessageFlags.SuppressEmbeds,
    ...(nonce !== undefined && { nonce, enforceNonce: true }),
  } as const;
  return attempt(
    async () => {
      try {
        await channel.send({ ...payload, ...reference });
      } catch (error) {
        const failure = asDeliveryError(error);
        // Without the right to read the history nothing can be replied to.
        if (strict || !(failure instanceof DeliveryError) || failure.code !== 'no-history') throw error;
        await channel.send(payload);
      }
    },
    { cooldowns, place: channel.id },
  );
}

async function retry(
  { client, logger, options }: Pick<BotContext, 'client' | 'logger' | 'options'>,
  attempt: () => Promise<NoticeResult>,
): Promise<void> {
  try {
    for (let retries = 0; retries < RETRIES; retries += 1) {
      await sleep(options.retryMs, { ref: false });
      if (client.isReady() && (await attempt()) !== 'unreachable') return;
    }
    logger.warn({}, 'failed to send a notice: Discord stayed unreachable');
  } catch (error) {
    logger.error({ error }, 'failed to send a notice');
  }
}

function react(
  cooldowns: Cooldowns,
  channel: Pick<SendableChannels, 'id' | 'client'>,
  messageId: string,
  emoji: string,
): Promise<NoticeResult> {
  if (!isSnowflake(messageId)) return Promise.resolve('refused');
  const request = () => channel.client.rest.put(reactionRoute(channel.id, messageId, emoji));
  return attempt(request, { cooldowns, place: `reactions ${channel.id}` });
}

function reactionRoute(channelId: string, messageId: string, emoji: string) {
  return Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji));
}

/** Makes a request unless its place refuses such requests; a refusal that would be repeated starts the place's cooldown. */
async function attempt(
  request: () => Promise<unknown>,
  limit?: { cooldowns: Cooldowns; place: string },
): Promise<NoticeResult> {
  if (limit?.cooldowns.isActive(limit.place) === true) return 'refused';
  try {
    await request();
    return 'shown';
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    if (isChannelRefusal(failure)) limit?.cooldowns.start(limit.place, REFUSAL_COOLDOWN_MS);
    return failure.code === 'unreachable' ? 'unreachable' : 'refused';
  }
}

/** The marks of questions that wait for an earlier answer. */
export type WaitingMarks = {
  /** Marks a message; not awaited, since nothing depends on it. */
  add(message: Message): void;
  /** Removes the marks of these messages in a channel, as far as they have one. Never rejects. */
  remove(channel: Pick<Message, 'client' | 'channelId'>, messageIds: readonly string[]): Promise<void>;
};

export function createWaitingMarks(cooldowns: Cooldowns): WaitingMarks {
  const marked = new Map<string, Promise<NoticeResult>>();
  return {
    add({ id, client, channelId }) {
      const set = react(cooldowns, { id: channelId, client }, id, MARKS.waiting);
      marked.set(
        id,
        set.catch(() => 'refused'),
      );
    },
    async remove({ client, channelId }, messageIds) {
      for (const id of messageIds) {
        const set = marked.get(id);
        marked.delete(id);
        // A question may be taken up while its mark is still being set.
        if ((await set) !== 'shown') continue;
        const request = () => client.rest.delete(reactionRoute(channelId, id, MARKS.waiting));
        await attempt(request, { cooldowns, place: `reactions ${channelId}` }).catch(() => 'refused');
      }
    },
  };
}
