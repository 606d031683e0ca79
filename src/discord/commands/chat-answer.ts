import { Forgotten } from '../../chatbot/answering.js';
import { KeepsakeError } from '../../conversation/errors.js';
import type { Turn } from '../../conversation/store.js';
import { interactionChannel } from '../interaction-channel.js';
import { createReply, type Reply } from '../reply.js';
import { triggerOf } from '../reply-for.js';
import type { RunningAnswer } from '../running.js';
import type { CommandCall } from './command.js';

/** Prepares to show a turn's answer as the interaction's, remembering which messages show it. */
export function replyTo(call: CommandCall, turn: Turn, running: RunningAnswer): Reply {
  const { door, interaction, words } = call;
  const { chatbot, clock } = door;
  const { sessionId } = turn;
  const answerTo = triggerOf(turn);
  return createReply({
    channel: interactionChannel(interaction, clock),
    triggerId: answerTo,
    pace: door.pace,
    words: words.reply,
    plan: (chunk) =>
      chatbot.deliveries.planDelivery({
        sessionId,
        answerTo,
        chunk,
        nonce: `${answerTo}.${chunk}`,
        messageId: null,
      }),
    confirm: (chunk, messageId) => chatbot.deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    ending: (error) => (running.stopped() === 'shutdown' ? words.reply.interrupted : endingOf(call, error)),
  });
}

/** What is said of an answer that did not come to its end. */
function endingOf({ words }: CommandCall, error: unknown): string | null {
  if (error instanceof Forgotten) return words.chat.forgotten;
  if (!(error instanceof KeepsakeError)) return words.unforeseen;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}
