import type { SendableChannels } from 'discord.js';
import type { Session } from '../conversation/session.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { channelIdOf } from './session.js';

/**
 * The channel of a session, or null when it is gone or cannot be written to.
 * @throws when Discord cannot say so now, or its server has an outage.
 */
export async function channelOf(door: Door, session: Session): Promise<SendableChannels | null> {
  const id = channelIdOf(session.id);
  if (id === null) return null;
  if (session.serverId !== null && door.client.guilds.cache.get(session.serverId)?.available === false) {
    throw new DeliveryError('unreachable');
  }
  try {
    const channel = await door.client.channels.fetch(id);
    return channel?.isSendable() ? channel : null;
  } catch (error) {
    const failure = asDeliveryError(error);
    if (failure instanceof DeliveryError && failure.code !== 'unreachable') return null;
    throw failure;
  }
}
