import type { Message, ThreadChannel } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Door } from './door.js';
import { isTalk, toUserMessage } from './incoming.js';
import { NO_TEXT } from './render-content.js';

/** Remembers the message that a thread was opened from as the thread's first one, when the thread is new to the store. */
export async function keepStarter(door: Door, message: Message, session: Session): Promise<void> {
  if (session.parentId === null || !message.channel.isThread()) return;
  if (await door.chatbot.places.isKnown(session.id)) return;
  const starter = await fetchStarter(message.channel);
  if (starter === null || starter.id === message.id) return;
  const mine = starter.author.id === message.client.user.id;
  if (!mine && !isTalk(starter)) return;
  const said = { ...toUserMessage(starter, false), session };
  // Without the right to read it, there is nothing to remember.
  if (said.text === NO_TEXT) return;
  await door.chatbot.hear(mine ? { ...said, authorName: message.client.user.displayName } : said, 'kept');
}

/** A starter that is gone, or that the bot may not see, is none. */
async function fetchStarter(thread: ThreadChannel): Promise<Message | null> {
  return thread.fetchStarterMessage().catch(() => null);
}
