import type { SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import type { BotContext } from './context.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import { channelIdOf } from './incoming.js';

/**
 * The channel in which a session's turns are taken up, or null when it is gone or cannot be written to.
 * @throws when Discord cannot say so now, or its server has an outage; also while what was missed there is still to be
 * read, since the question may be deleted by now, until it is too old to be answered anyway.
 */
export async function channelOf(ctx: BotContext, session: Session): Promise<SendableChannels | null> {
  const owedSince = ctx.gaps.retryList.since(session.id);
  if (owedSince !== null && ctx.clock() - owedSince < ctx.options.freshMs) throw new DeliveryError('unreachable');
  try {
    return await fetchChannel(ctx, session);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/**
 * The channel of a session, or null when it is none or cannot be written to.
 * @throws {DeliveryError} when Discord refuses to say, or cannot now, or its server has an outage.
 */
export async function fetchChannel(ctx: BotContext, session: Session): Promise<SendableChannels | null> {
  const id = channelIdOf(session.id);
  if (id === null) return null;
  if (session.serverId !== null && ctx.client.guilds.cache.get(session.serverId)?.available === false) {
    throw new DeliveryError('unreachable');
  }
  try {
    const channel = await ctx.client.channels.fetch(id);
    return channel?.isSendable() ? channel : null;
  } catch (error) {
    throw asDeliveryError(error);
  }
}

/** Whether an error is Discord's answer, which would be the same another time; an outage is none. */
export function isRefusal(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code !== 'unreachable';
}

/** Whether anything of a session is or was stored. */
export async function isKnownSession(ctx: BotContext, sessionId: string): Promise<boolean> {
  return (await ctx.chatbot.sessions.missedSince(sessionId)) !== null;
}
