import type { Message } from 'discord.js';
import type { TurnOutcome } from '../chatbot/delivery.js';
import type { Turn } from '../conversation/store.js';
import { answerSession, hasEnded } from './answer-session.js';
import type { Door } from './door.js';
import type { Room } from './room.js';

/** A question by its platform id, and when it was asked, in milliseconds since 1970. */
export type Asked = { id: string; at: number };

/** Newer messages of a session among which a question is looked for; a question does not wait for more. */
const LOOK_THROUGH = 1_000;

/** Answers a message, once the answers before it are given; until then it carries a mark. */
export async function answerMessage(door: Door, message: Message, room: Room): Promise<void> {
  if (door.chatbot.waiting(room.session.id) > 0) door.marks.mark(message);
  try {
    const asked = { id: message.id, at: message.createdTimestamp };
    await answerQuestion(door, room, asked, (ids) => void door.marks.unmark(message, ids));
  } finally {
    // It may have been answered with an earlier one before its mark was set.
    await door.marks.unmark(message, [message.id]);
  }
}

/**
 * Answers a question, once the answers before it are given, and resolves with how that ended; `nothing` means together with
 * an earlier one. `begun` hears which questions a turn takes up.
 */
export async function answerQuestion(
  door: Door,
  room: Room,
  asked: Asked,
  begun: (ids: string[]) => void = () => {},
): Promise<TurnOutcome['kind']> {
  let own = false;
  const begin = ({ questions }: Turn) => {
    const ids = questions.map(({ platformId }) => platformId);
    own ||= ids.includes(asked.id);
    begun(ids);
  };
  const first = await answerSession(door, room, begin);
  // After a restart an answer that was stored is finished first; what was asked since is a turn of its own.
  const ended = hasEnded(first) && !own ? await answerSession(door, room, begin) : first;
  if (ended !== 'nothing' || (await isRemembered(door, room, asked))) return ended;
  await room.say(room.words.chat.forgotten, asked.id, true);
  return 'forgotten';
}

async function isRemembered(door: Door, { session }: Room, { id, at }: Asked): Promise<boolean> {
  return (await door.chatbot.places.platformIdsSince(session.id, at, LOOK_THROUGH)).includes(id);
}
