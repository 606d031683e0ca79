import type { BaseInteraction } from 'discord.js';
import type { Session } from '../conversation/session.js';
import { sessionOf } from './incoming.js';
import { discordSession } from './session.js';

/** Where an interaction takes place. */
export type Place = {
  session: Session;
  /** Whether it is a thread, where other rights count. */
  thread: boolean;
};

/** Where an interaction takes place. @throws {Error} for interactions without a channel, which Discord does not send. */
export function placeOf(interaction: BaseInteraction): Place {
  const { channel, channelId, guildId } = interaction;
  if (channelId === null) throw new Error('an interaction came without its channel');
  const session = channel === null ? discordSession(channelId, guildId) : sessionOf(channel);
  return { session, thread: session.parentId !== null };
}
