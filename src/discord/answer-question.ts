import type { Message } from 'discord.js';
import type { TurnOutcome } from '../chatbot/delivery.js';
import type { Turn } from '../conversation/store.js';
import { answerSession, hasEnded } from './answer-session.js';
import type { Door } from './door.js';
import { type Asked, isRemembered } from './remembered.js';
import type { Room } from './room.js';

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
  const { session, words } = room;
  const isTaken = () => door.taken.has(session.id, asked.id);
  const begin = ({ questions }: Turn) => begun(questions.map(({ platformId }) => platformId));
  const heard = door.taken.expect(session.id, asked.id);
  try {
    const first = await answerSession(door, room, begin);
    // After a restart an answer that was stored is finished first; what was asked since is a turn of its own.
    const ended = hasEnded(first) && !isTaken() ? await answerSession(door, room, begin) : first;
    // A turn that has taken it up has told its end; its rows may be swept already.
    if (ended !== 'nothing' || isTaken() || (await isRemembered(door, session, asked))) return ended;
    await room.say(words.chat.forgotten, asked.id, { strict: true });
    return 'forgotten';
  } finally {
    heard();
  }
}
