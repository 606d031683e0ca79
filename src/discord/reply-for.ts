import { KeepsakeError } from '../conversation/errors.js';
import type { Turn } from '../conversation/store.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { createReply, type Reply } from './reply.js';
import { replyChannel } from './reply-channel.js';
import type { Room } from './room.js';
import type { RunningAnswer } from './running.js';
import { startTyping } from './typing.js';

/** The question that an answer replies to: the last one that waited. */
export function triggerOf({ questions }: Turn): string {
  return questions.findLast(({ state }) => state === 'pending')?.platformId ?? questions.at(-1)?.platformId ?? '';
}

/** Prepares to show a turn's answer in its channel, each chunk planned in the store before it is sent. */
export function replyFor(door: Door, { channel, words }: Room, turn: Turn, running: RunningAnswer): Reply {
  const { sessionId } = turn;
  const { deliveries } = door.chatbot;
  const answerTo = triggerOf(turn);
  let stopTyping = () => {};
  const reply = createReply({
    channel: replyChannel(channel),
    triggerId: answerTo,
    pace: door.pace,
    words: words.reply,
    pausesMs: door.options.pausesMs,
    plan: (chunk) =>
      deliveries.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null }),
    confirm: (chunk, messageId) => deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    onFirstText: () => stopTyping(),
    ending: (error) => (running.stopped() === 'shutdown' ? words.reply.interrupted : endingOf(error, words)),
  });
  return {
    ...reply,
    deliver(pieces) {
      stopTyping = startTyping(channel);
      return reply.deliver(pieces).finally(stopTyping);
    },
  };
}

/** The remark below a text that broke off. */
function endingOf(error: unknown, words: Words): string {
  if (!(error instanceof KeepsakeError)) return words.reply.brokenOff;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}
