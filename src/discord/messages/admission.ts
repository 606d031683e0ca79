import { type Message, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';
import { personScope, type Session } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';

/** How often the log tells of a clock that seems wrong, in milliseconds. */
const CLOCK_EVERY_MS = 3_600_000;

/**
 * Whether a question may be answered now. `stale` came while the bot was away; `silenced` stands where the bot may not
 * write, so that nothing can be said; `refused` gives its reason in `sentence`, which is news once for all who share its
 * `reason`: one person, or the whole channel. Call `leave` when it is over.
 */
export type Admission = {
  verdict: 'admitted' | 'refused' | 'stale' | 'silenced';
  sentence: string;
  reason: string;
  leave(): void;
};

/** Decides whether a message is answered: fresh, where the bot may write, not too fast, not too many at once. */
export function admitMessage(ctx: BotContext, message: Message, session: Session, words: Words): Admission {
  if (!canWrite(ctx, message)) return without('silenced');
  const ageMs = ctx.clock() - message.createdTimestamp;
  if (ageMs > ctx.options.freshMs) {
    doubtClock(ctx, message, session, ageMs).catch((error) =>
      ctx.logger.warn({ error }, 'the clock was not looked at'),
    );
    return without('stale');
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
  const { rateLimits: limits, chatbot, options } = ctx;
  if (chatbot.waiting(session.id) >= options.queueLimit) return without('refused', words.limits.queueFull, 'queue');
  const scope = personScope(session);
  const wait = limits.cooldown(scope, authorId, askedAt);
  if (wait > 0) return without('refused', words.limits.cooldown(Math.ceil(wait / 1_000)), authorId);
  const leave = limits.enter(scope);
  if (leave === null) return without('refused', words.limits.serverBusy, 'server');
  return { verdict: 'admitted', sentence: '', reason: '', leave };
}

function without(verdict: Admission['verdict'], sentence = '', reason = ''): Admission {
  return { verdict, sentence, reason, leave() {} };
}

/**
 * What is told live and is old all the same speaks for a wrong clock here, for which every question would be passed over.
 * Of messages only those are cached that were told, not those that were read of the past; after a gap, late ones are no wonder.
 */
async function doubtClock(ctx: BotContext, message: Message, session: Session, ageMs: number): Promise<void> {
  const told = message.channel.messages.cache.get(message.id) === message;
  if (!told || (await ctx.gaps.missedSince(session.id)) !== null || !ctx.cooldowns.tryStart('clock', CLOCK_EVERY_MS))
    return;
  ctx.logger.warn(
    { ageMs },
    'messages are old as soon as they come: the clock of this host is probably ahead, check its NTP',
  );
}

/** A channel that refused a message lately is left alone; so is one where the bot's rights say that it would. */
export function canWrite(ctx: BotContext, { channel, guild }: Message): boolean {
  if (ctx.cooldowns.isActive(channel.id)) return false;
  if (guild?.members.me == null || channel.isDMBased()) return true;
  return allowsWriting(channel.permissionsFor(guild.members.me, true), channel.isThread());
}

/** Whether these rights let the bot write in a channel, or in a thread. */
export function allowsWriting(rights: Readonly<PermissionsBitField>, thread: boolean): boolean {
  const write = thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  return rights.has(PermissionFlagsBits.ViewChannel) && rights.has(write);
}
