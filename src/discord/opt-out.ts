import type { Message } from 'discord.js';
import { ownScope, type Session } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { react, tell } from './tell.js';

/** The reaction that somebody who has opted out gets, once they were told why. */
const OPTED_OUT_MARK = '\u{1F515}';

/** Says to somebody who has opted out and addresses the bot why there is no answer; where they were `told`, a mark does. */
export async function explainOptOut(
  door: Door,
  message: Message,
  session: Session,
  told: boolean,
  words: Words,
): Promise<void> {
  if (told) return void (await react(door, message, OPTED_OUT_MARK));
  // Recorded first, so that what is said right after the sentence gets the mark.
  await door.chatbot.people.markTold(ownScope(session), message.author.id);
  await tell(door, message, words.chat.optedOut);
}
