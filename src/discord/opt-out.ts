import type { Message } from 'discord.js';
import { type Session, serverScope } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { react, tell } from './tell.js';

/** The reaction that somebody who has opted out gets, once they were told why. */
const OPTED_OUT_MARK = '\u{1F515}';

/** The scope of a person's own choices: the server, or the direct message. */
export function personScope(session: Session): string {
  return session.serverId === null ? session.id : serverScope(session.serverId);
}

/** Whether a person's texts are not to be kept in a scope. */
export async function isOptedOut(door: Door, scopeId: string, authorId: string): Promise<boolean> {
  return (await door.chatbot.people.optOut(scopeId, authorId)).optedOut;
}

/** Leaves the words of somebody who has opted out alone; one who addresses the bot is told why, once, then gets a mark. */
export async function respectOptOut(
  door: Door,
  message: Message,
  session: Session,
  addressed: boolean,
  words: Words,
): Promise<boolean> {
  const scope = personScope(session);
  const { optedOut, told } = await door.chatbot.people.optOut(scope, message.author.id);
  if (!optedOut) return false;
  if (addressed && told) await react(message, OPTED_OUT_MARK);
  if (addressed && !told) {
    await tell(message, words.chat.optedOut);
    await door.chatbot.people.markTold(scope, message.author.id);
  }
  return true;
}
