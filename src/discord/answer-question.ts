import type { Message } from 'discord.js';
import { type Deliver, Parked } from '../chatbot/turn.js';
import type { Turn } from '../conversation/store.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { lookUpDeliveries, removeSurplus } from './outbox.js';
import { explainOutcome } from './outcome.js';
import type { Reply } from './reply.js';
import { replyFor } from './reply-for.js';
import type { Room } from './room.js';

/** A channel that refuses a message is left alone for so long, since refusals count as invalid requests. */
const MUTE_MS = 300_000;
/** An answer that Discord could not take is tried again after so long. */
const RETRY_MS = 30_000;

/** Answers a message, once the answers before it are given; until then it carries a mark. */
export async function answerQuestion(door: Door, message: Message, room: Room): Promise<void> {
  if (door.chatbot.waiting(room.session.id) > 0) door.marks.mark(message);
  const unmark = (turn: Turn) => {
    const ids = turn.questions.map(({ platformId }) => platformId);
    void door.marks.unmark(message, ids);
  };
  try {
    await answerSession(door, room, unmark);
  } finally {
    // It may have been answered with an earlier one before its mark was set.
    await door.marks.unmark(message, [message.id]);
  }
}

/** Answers what waits in a session, in reply to the last question; every end of a turn can be seen in the channel. */
export async function answerSession(door: Door, room: Room, begin: (turn: Turn) => void = () => {}): Promise<void> {
  const { session, channel } = room;
  const running = door.running.start(session.id);
  let reply: Reply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    reply = replyFor(door, room, turn, running);
    if (!running.begin(turn.questions, reply)) return;
    begin(turn);
    try {
      await lookUpDeliveries(door, channel, turn);
      await reply.deliver(pieces);
      await removeSurplus(door, channel, turn, reply.messageIds().length);
    } catch (error) {
      throw running.stopped() === 'shutdown' || isOutage(error) ? new Parked() : error;
    }
  };
  try {
    const images = (turn: Turn) => door.pictures.of(turn.questions.map(({ platformId }) => platformId));
    const outcome = await door.chatbot.answer(session, deliver, { signal: running.signal, images });
    if (outcome.kind === 'parked') return retryLater(door, room, running.stopped() === 'shutdown');
    await explainOutcome(door, room, outcome, reply, running);
  } catch (error) {
    quietly(door, room, error);
  } finally {
    running.finish();
  }
}

function isOutage(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code === 'unreachable';
}

/** Discord cannot be reached: the turn waits on, in the store. At the end of the program it waits for the next start. */
function retryLater(door: Door, room: Room, ending: boolean): void {
  if (ending) return;
  door.logger.warn({ sessionId: room.session.id }, 'Discord cannot be reached, an answer waits');
  setTimeout(() => void answerSession(door, room).catch(() => {}), RETRY_MS).unref();
}

/** Discord will not show it: there is nobody to tell, and trying again would not help. */
function quietly(door: Door, { session, channel }: Room, error: unknown): void {
  const refusal = asDeliveryError(error);
  if (!(refusal instanceof DeliveryError)) throw error;
  door.logger.info({ sessionId: session.id, code: refusal.code }, 'an answer was not shown');
  if (refusal.code !== 'gone') door.mutes.mute(channel.id, MUTE_MS);
}
