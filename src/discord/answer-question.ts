import type { Message } from 'discord.js';
import type { Deliver, TurnOutcome } from '../chatbot/turn.js';
import { KeepsakeError } from '../conversation/errors.js';
import type { Session } from '../conversation/session.js';
import type { Turn } from '../conversation/store.js';
import type { Words } from '../words/en.js';
import { DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { createReply, type Reply } from './reply.js';
import { replyChannel } from './reply-channel.js';
import type { RunningAnswer } from './running.js';
import { react, unreact } from './tell.js';
import { startTyping } from './typing.js';

/** The mark of a question that waits for an earlier answer in its session. */
const WAITING_MARK = '\u{23F3}';

/** Answers what waits in a session, in reply to the last question; every end of a turn can be seen in the channel. */
export async function answerQuestion(door: Door, message: Message, session: Session, words: Words): Promise<void> {
  if (!message.channel.isSendable()) return;
  const running = door.running.start(session.id);
  const waits = door.chatbot.waiting(session.id) > 0 && (await react(message, WAITING_MARK));
  let reply: Reply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    reply = replyFor(door, message, turn, words);
    if (!running.begin(turn.questions, reply)) return;
    if (waits) await unmark(message, turn);
    await reply.deliver(pieces);
  };
  try {
    const images = (turn: Turn) => door.pictures.of(turn.questions.map(({ platformId }) => platformId));
    const outcome = await door.chatbot.answer(session, deliver, { signal: running.signal, images });
    await close(outcome, reply, running, words);
  } catch (error) {
    // Discord would not show it: there is nobody to tell, and trying again would not help.
    if (!(error instanceof DeliveryError)) throw error;
    door.logger.info({ sessionId: session.id, code: error.code }, 'an answer was not shown');
  } finally {
    running.finish();
  }
}

function replyFor(door: Door, message: Message, turn: Turn, words: Words): Reply {
  if (!message.channel.isSendable()) throw new DeliveryError('no-permission');
  const { sessionId } = turn;
  const { deliveries } = door.chatbot;
  const answerTo = turn.questions.findLast(({ state }) => state === 'pending')?.platformId ?? message.id;
  const stopTyping = startTyping(message.channel);
  const reply = createReply({
    channel: replyChannel(message.channel),
    triggerId: answerTo,
    pace: door.pace,
    words: words.reply,
    plan: (chunk) =>
      deliveries.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null }),
    confirm: (chunk, messageId) => deliveries.confirmDelivery(sessionId, answerTo, chunk, messageId),
    onFirstText: stopTyping,
    ending: (error) => endingOf(error, words),
  });
  const deliver = (pieces: AsyncIterable<string>) => reply.deliver(pieces).finally(stopTyping);
  return { ...reply, deliver };
}

/** The remark below a text that broke off. */
function endingOf(error: unknown, words: Words): string {
  if (!(error instanceof KeepsakeError)) return words.reply.brokenOff;
  return error.code === 'cancelled' ? words.answerStopped : words.errors[error.code];
}

/** Says how it ended where the answer itself does not; what was deleted or forgotten leaves nothing behind. */
async function close(outcome: TurnOutcome, reply: Reply | null, running: RunningAnswer, words: Words): Promise<void> {
  if (reply === null || running.stopped() === 'deleted') return;
  if (outcome.kind === 'forgotten') return reply.remove();
  const shown = reply.messageIds().length > 0;
  if (outcome.kind === 'answered' && outcome.finish === 'length') return reply.close(words.answerCutOff);
  if (outcome.kind === 'failed' && !shown) return reply.close(words.errors[outcome.error.code]);
  if (outcome.kind === 'cancelled' && !shown) return reply.close(words.answerStopped);
}

async function unmark(message: Message, turn: Turn): Promise<void> {
  await Promise.all(turn.questions.map(({ platformId }) => unreact(message, platformId, WAITING_MARK)));
}
