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

/** Tells somebody who has opted out and addresses the bot why there is no answer, once; later a mark stands for that. */
export async function respectOptOut(
  door: Door,
  message: Message,
  session: Session,
  addressed: boolean,
  words: Words,
): Promise<void> {
  if (!addressed) return;
  const scope = personScope(session);
  const { told } = await door.chatbot.people.optOut(scope, message.author.id);
  if (told) return void (await react(door, message, OPTED_OUT_MARK));
  // Recorded first, so that what is said right after the sentence gets the mark.
  await door.chatbot.people.markTold(scope, message.author.id);
  await tell(door, message, words.chat.optedOut);
}
