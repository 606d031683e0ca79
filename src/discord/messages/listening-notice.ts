import type { SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import { sendNotice } from '../shared/notices.js';

/** How often a channel is tried that could not be told, and how long one that was told is not looked up again. In milliseconds. */
const TRY_EVERY_MS = 10 * 60_000;
/** Where much of a server awakes at once, its channels are told one after the other: answers take the same requests. */
const APART_MS = 1_000;
/** The queue in which channels wait to be told. */
const QUEUE = 'listening';

/**
 * Says once in a channel that all its talk is remembered, which was turned on at the time `since`. A thread needs no word
 * of its own where its channel was told.
 */
export async function announceListening(
  ctx: BotContext,
  session: Session,
  since: number,
  channel: SendableChannels,
  words: Words,
): Promise<void> {
  if (!ctx.cooldowns.tryStart(gateOf(session, since), TRY_EVERY_MS)) return;
  for (const id of [session.id, session.parentId]) if (id !== null && (await isTold(ctx, id, since))) return;
  // Said once, also when the process ends before that is recorded.
  const nonce = `l${BigInt(channel.id).toString(36)}${since.toString(36)}`;
  await ctx.intake.run(QUEUE, async () => {
    const said = await sendNotice(ctx, channel, '', words.settings.listeningToAll, { nonce });
    if (said === 'told') await markTold(ctx, session, since);
    await ctx.editThrottle.wait(APART_MS);
  });
}

/** Whether a channel was tried lately, so that there is nothing to do now. */
export function wasTriedLately(ctx: BotContext, session: Session, since: number): boolean {
  return ctx.cooldowns.isActive(gateOf(session, since));
}

/** Tells a channel in another way, with `say`; what is said there meanwhile does not tell it once more. */
export async function announceListeningWith(
  ctx: BotContext,
  session: Session,
  since: number,
  say: () => Promise<unknown>,
): Promise<void> {
  ctx.cooldowns.start(gateOf(session, since), TRY_EVERY_MS);
  await say();
  await markTold(ctx, session, since);
}

function markTold(ctx: BotContext, session: Session, since: number): Promise<void> {
  return ctx.chatbot.sessions.saveFact(factOf(session.id), String(since));
}

async function isTold(ctx: BotContext, sessionId: string, since: number): Promise<boolean> {
  return Number((await ctx.chatbot.sessions.loadFact(factOf(sessionId))) ?? Number.NEGATIVE_INFINITY) >= since;
}

function gateOf({ id }: Session, since: number): string {
  return `listening ${id} ${since}`;
}

function factOf(sessionId: string): string {
  return `listening ${sessionId}`;
}
