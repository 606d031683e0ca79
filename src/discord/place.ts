import type { BaseInteraction } from 'discord.js';
import { type Session, serverScope } from '../conversation/session.js';
import { sessionOf } from './incoming.js';
import { discordSession } from './session.js';

/** Where an interaction takes place. */
export type Place = {
  session: Session;
  /** Whether it is a thread, where other rights count. */
  thread: boolean;
  /** The scope of a person's own choices: the server, or the direct message. */
  personScope: string;
};

/** Where an interaction takes place. @throws {Error} for interactions without a channel, which Discord does not send. */
export function placeOf(interaction: BaseInteraction): Place {
  const { channel, channelId, guildId } = interaction;
  if (channelId === null) throw new Error('an interaction came without its channel');
  const session = channel === null ? discordSession(channelId, guildId) : sessionOf(channel);
  return {
    session,
    thread: session.parentId !== null,
    personScope: session.serverId === null ? session.id : serverScope(session.serverId),
  };
}
