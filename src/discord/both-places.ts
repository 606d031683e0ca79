import type { Edit } from '../chatbot/edit.js';
import type { Session } from '../conversation/session.js';
import type { Door } from './door.js';
import { channelIdOf, discordSession } from './session.js';

/**
 * Erases messages of a session. The message that a thread was opened from has the thread's own id, and is remembered in
 * both places.
 */
export async function eraseMessages(door: Door, session: Session, ids: readonly string[]): Promise<void> {
  await door.chatbot.erase(session, ids);
  for (const id of ids) {
    const thread = await threadFrom(door, session, id);
    if (thread !== null) await door.chatbot.erase(thread, [id]);
  }
}

/** Follows an edit, in the thread too that was opened from the message. */
export async function editMessage(door: Door, session: Session, edit: Edit): Promise<void> {
  await door.chatbot.edit(session, edit);
  const thread = await threadFrom(door, session, edit.platformId);
  if (thread !== null) await door.chatbot.edit(thread, edit);
}

/** The session of the thread that was opened from a message, or null when nothing of it is kept. */
async function threadFrom(door: Door, { id, serverId }: Session, messageId: string): Promise<Session | null> {
  const thread = discordSession(messageId, serverId, channelIdOf(id));
  return thread.id !== id && (await door.chatbot.places.isKnown(thread.id)) ? thread : null;
}
