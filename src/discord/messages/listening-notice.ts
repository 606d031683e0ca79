import type { SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import { sendNotice } from '../shared/notices.js';

/** How often a channel is tried that could not be told, and how long one that was told is not looked up again. In milliseconds. */
const RETRY_MS = 10 * 60_000;
/** Channels that become active at once are told one after the other: answers share the same request limit. In milliseconds. */
const SPACING_MS = 1_000;
/** The queue in which channels wait to be told. */
const QUEUE = 'listening';

/**
 * Announces once in a channel that all its messages are stored, which was turned on at the time `since`. A thread needs no
 * notice of its own where its channel was told.
 */
export async function announceListening(
  ctx: BotContext,
  session: Session,
  since: number,
  channel: SendableChannels,
  words: Words,
): Promise<void> {
  if (!ctx.cooldowns.tryStart(cooldownKey(session, since), RETRY_MS)) return;
  for (const id of [session.id, session.parentId]) if (id !== null && (await wasTold(ctx, id, since))) return;
  // Shown once, also when the process ends before that is stored.
  const nonce = `l${BigInt(channel.id).toString(36)}${since.toString(36)}`;
  await ctx.intake.run(QUEUE, async () => {
    const target = { kind: 'message', channel, messageId: '' } as const;
    const result = await sendNotice(ctx, target, words.settings.listeningToAll, { nonce });
    if (result === 'shown') await markTold(ctx, session, since);
    await ctx.sleep(SPACING_MS);
  });
}

/** Whether a channel was tried lately, so that there is nothing to do now. */
export function wasTriedLately(ctx: BotContext, session: Session, since: number): boolean {
  return ctx.cooldowns.isActive(cooldownKey(session, since));
}

/** Announces it in another way, with `show`; messages in the channel meanwhile do not announce it once more. */
export async function announceListeningWith(
  ctx: BotContext,
  session: Session,
  since: number,
  show: () => Promise<unknown>,
): Promise<void> {
  ctx.cooldowns.start(cooldownKey(session, since), RETRY_MS);
  await show();
  await markTold(ctx, session, since);
}

function markTold(ctx: BotContext, session: Session, since: number): Promise<void> {
  return ctx.chatbot.sessions.saveFact(factName(session.id), String(since));
}

async function wasTold(ctx: BotContext, sessionId: string, since: number): Promise<boolean> {
  const told = await ctx.chatbot.sessions.loadFact(factName(sessionId));
  return Number(told ?? Number.NEGATIVE_INFINITY) >= since;
}

function cooldownKey({ id }: Session, since: number): string {
  return `listening ${id} ${since}`;
}

function factName(sessionId: string): string {
  return `listening ${sessionId}`;
}
