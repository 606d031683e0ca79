import { Forgotten } from '../chatbot/answering.js';
import { KeepsakeError } from '../conversation/errors.js';
import type { Turn } from '../conversation/store.js';
import { triggerIdOf } from '../conversation/turn.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { createReply, type Reply } from './reply.js';
import type { Room } from './room.js';
import type { RunningAnswer } from './running.js';

/** Prepares to show a turn's answer in its room, each chunk planned in the store before it is sent. */
export function replyFor(door: Door, room: Room, turn: Turn, running: RunningAnswer): Reply {
  const { sessionId } = turn;
  const { words } = room;
  const { deliveries } = door.chatbot;
  const answerTo = triggerIdOf(turn);
  let stopTyping = () => {};
  const reply = createReply({
    channel: room.replyChannel(turn),
    triggerId: answerTo,
    pace: door.pace,
    words: words.reply,
    pausesMs: door.options.pausesMs,
    plan: (chunk) =>
      deliveries.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null }),
    confirm: (chunk, messageId) => deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    onFirstText: () => stopTyping(),
    ending: (error) => (running.stopped() === 'shutdown' ? pauseOf(room) : endingOf(error, words)),
  });
  return {
    ...reply,
    deliver(pieces) {
      stopTyping = room.startTyping();
      return reply.deliver(pieces).finally(stopTyping);
    },
  };
}

/** What an answer says that waits for a better time: it goes on only where the bot can write by itself. */
export function pauseOf({ words, channel }: Pick<Room, 'words' | 'channel'>): string {
  return channel === null ? words.reply.interruptedForGood : words.reply.interrupted;
}

/** The remark below a text that broke off; a forgotten one goes, or is written anew. */
function endingOf(error: unknown, words: Words): string | null {
  if (error instanceof Forgotten) return null;
  if (!(error instanceof KeepsakeError)) return words.reply.brokenOff;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}
