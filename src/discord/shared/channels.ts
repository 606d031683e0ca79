import type { SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import type { BotContext } from './context.js';
import { DeliveryError, isRefusal, withDeliveryErrors } from './delivery-error.js';
import { channelIdOf } from './incoming.js';

/**
 * Fetches the channel of a session; null when it is none of Discord's or cannot be written to.
 * @throws {DeliveryError} when Discord refuses to tell, does not answer, or its server has an outage.
 */
export async function fetchChannel(ctx: BotContext, session: Session): Promise<SendableChannels | null> {
  const id = channelIdOf(session.id);
  if (id === null) return null;
  if (session.serverId !== null && ctx.client.guilds.cache.get(session.serverId)?.available === false) {
    throw new DeliveryError('unreachable');
  }
  const channel = await withDeliveryErrors(() => ctx.client.channels.fetch(id));
  return channel?.isSendable() ? channel : null;
}

/**
 * Fetches the channel in which a session's turns can be resumed; null when it is gone or cannot be written to.
 * @throws {DeliveryError} `unreachable` when Discord cannot tell now; also while the session's backfill is due, since its
 * questions may be deleted by now, until they are too old to be answered anyway.
 */
export async function fetchChannelToResume(ctx: BotContext, session: Session): Promise<SendableChannels | null> {
  const failedSince = ctx.backfill.retryList.since(session.id);
  const tooOld = failedSince !== null && ctx.clock() - failedSince >= ctx.options.freshMs;
  if (ctx.backfill.isDue(session.id) && !tooOld) throw new DeliveryError('unreachable');
  try {
    return await fetchChannel(ctx, session);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Whether anything of a session is or was stored. */
export async function hasStoredMessages(ctx: BotContext, sessionId: string): Promise<boolean> {
  return (await ctx.chatbot.sessions.missedSince(sessionId)) !== null;
}
