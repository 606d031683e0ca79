import type { Message } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Door } from './door.js';
import { isAddressed } from './incoming.js';

/**
 * Whether the bot is meant by a message: by itself, or because it was said in a thread that was opened from an answer of
 * the bot or in which the bot was addressed before, which the store knows also after a restart.
 */
export async function isMeant(door: Door, message: Message, session: Session): Promise<boolean> {
  if (isAddressed(message)) return true;
  if (session.parentId === null || !message.channel.isThread()) return false;
  if (await door.chatbot.places.wasAddressed(session.id)) return true;
  if (message.channel.ownerId === message.client.user.id) return true;
  return (await door.chatbot.deliveries.answeredBy(session.parentId, message.channel.id)) !== null;
}
