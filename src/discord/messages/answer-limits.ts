import { type Message, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';
import { personScope, type Session } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';

/** How often the log warns of a clock that seems wrong, in milliseconds. */
const CLOCK_WARNING_INTERVAL_MS = 3_600_000;

/**
 * Whether a question may be answered now. `stale` came while the bot was away; `silenced` stands where the bot may not
 * write; `refused` gives its reason in `sentence`, which is told once in a while for all who share `reason`: one person, or the
 * whole channel. Call `release` when the answer has ended.
 */
export type Admission = {
  verdict: 'admitted' | 'refused' | 'stale' | 'silenced';
  sentence: string;
  reason: string;
  release(): void;
};

/** Decides whether a message is answered: fresh, where the bot may write, not too fast, not too many at once. */
export function admitMessage(ctx: BotContext, message: Message, session: Session, words: Words): Admission {
  if (!canWrite(ctx, message)) return notAdmitted('silenced');
  const ageMs = ctx.clock() - message.createdTimestamp;
  if (ageMs > ctx.options.freshMs) {
    warnOfWrongClock(ctx, message, session, ageMs).catch((error) =>
      ctx.logger.warn({ error }, 'failed to check the clock'),
    );
    return notAdmitted('stale');
  }
  return admitQuestion(ctx, message.author.id, message.createdTimestamp, session, words);
}

/** Decides whether one more question of a person is answered; `askedAt` is in milliseconds since 1970. */
export function admitQuestion(
  ctx: BotContext,
  authorId: string,
  askedAt: number,
  session: Session,
  words: Words,
): Admission {
  const { rateLimits, chatbot, options } = ctx;
  if (chatbot.waiting(session.id) >= options.queueLimit) return notAdmitted('refused', words.limits.queueFull, 'queue');
  const scope = personScope(session);
  const wait = rateLimits.cooldown(scope, authorId, askedAt);
  if (wait > 0) return notAdmitted('refused', words.limits.cooldown(Math.ceil(wait / 1_000)), authorId);
  const release = rateLimits.enter(scope);
  if (release === null) return notAdmitted('refused', words.limits.serverBusy, 'server');
  return { verdict: 'admitted', sentence: '', reason: '', release };
}

function notAdmitted(verdict: Admission['verdict'], sentence = '', reason = ''): Admission {
  return { verdict, sentence, reason, release() {} };
}

/**
 * A live message that is old all the same means that this host's clock is ahead, so that no question would be answered. Only
 * live messages are cached, not those of a backfill; after a gap late ones are normal.
 */
async function warnOfWrongClock(ctx: BotContext, message: Message, session: Session, ageMs: number): Promise<void> {
  const live = message.channel.messages.cache.get(message.id) === message;
  if (!live || (await ctx.backfill.missedSince(session.id)) !== null) return;
  if (!ctx.cooldowns.tryStart('clock', CLOCK_WARNING_INTERVAL_MS)) return;
  ctx.logger.warn({ ageMs }, 'new messages are old: the clock of this host is probably ahead, check its NTP');
}

/** Whether the bot can write where a message is: its permissions allow it, and the channel has not refused it lately. */
export function canWrite(ctx: BotContext, { channel, guild }: Message): boolean {
  if (ctx.cooldowns.isActive(channel.id)) return false;
  if (guild?.members.me == null || channel.isDMBased()) return true;
  return allowsWriting(channel.permissionsFor(guild.members.me, true), channel.isThread());
}

/** Whether these permissions let the bot write in a channel, or in a thread. */
export function allowsWriting(permissions: Readonly<PermissionsBitField>, thread: boolean): boolean {
  const write = thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  return permissions.has(PermissionFlagsBits.ViewChannel) && permissions.has(write);
}
