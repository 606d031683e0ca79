import type { Message } from 'discord.js';
import { type Deliver, Parked } from '../chatbot/delivery.js';
import type { Turn } from '../conversation/store.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { lookUpDeliveries, removeSurplus } from './outbox.js';
import { explainOutcome } from './outcome.js';
import type { Reply } from './reply.js';
import { replyFor } from './reply-for.js';
import type { Room } from './room.js';
import type { RunningAnswer } from './running.js';
import { MUTE_MS } from './tell.js';

/** Answers a message, once the answers before it are given; until then it carries a mark. */
export async function answerQuestion(door: Door, message: Message, room: Room): Promise<void> {
  if (door.chatbot.waiting(room.session.id) > 0) door.marks.mark(message);
  let own = false;
  const begin = (turn: Turn) => {
    const ids = turn.questions.map(({ platformId }) => platformId);
    own ||= ids.includes(message.id);
    void door.marks.unmark(message, ids);
  };
  try {
    const ended = await answerSession(door, room, begin);
    // After a restart an answer that was stored is finished first; what was asked since is a turn of its own.
    if (ended && !own) await answerSession(door, room, begin);
  } finally {
    // It may have been answered with an earlier one before its mark was set.
    await door.marks.unmark(message, [message.id]);
  }
}

/**
 * Answers what waits in a session, in reply to the last question; every end of a turn can be seen in the channel. Resolves
 * with whether the turn has ended; one that has not is taken up later.
 */
export async function answerSession(door: Door, room: Room, begin: (turn: Turn) => void = () => {}): Promise<boolean> {
  const { session, channel } = room;
  const running = door.running.start(session.id);
  let reply: Reply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    reply = replyFor(door, room, turn, running);
    if (!running.begin(turn.questions, reply)) return parkAtEnd(running);
    begin(turn);
    try {
      await lookUpDeliveries(door, channel, turn);
      await reply.deliver(pieces);
      await removeSurplus(door, channel, turn, reply.messageIds().length);
    } catch (error) {
      parkAtEnd(running);
      throw isOutage(error) ? new Parked() : error;
    }
  };
  try {
    const images = (turn: Turn) => door.pictures.of(turn.questions.map(({ platformId }) => platformId));
    const outcome = await door.chatbot.answer(session, deliver, { signal: running.signal, images });
    if (outcome.kind === 'parked') door.logger.warn({ sessionId: session.id }, 'an answer waits for a better time');
    else await explainOutcome(door, room, outcome, reply, running);
    return outcome.kind !== 'parked' && outcome.kind !== 'nothing';
  } catch (error) {
    await endBadly(door, room, reply, error);
    return true;
  } finally {
    running.finish();
  }
}

/** At the end of the program a turn waits in the store for the next start. */
function parkAtEnd(running: RunningAnswer): void {
  if (running.stopped() === 'shutdown') throw new Parked();
}

function isOutage(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code === 'unreachable';
}

/** What Discord will not show, nobody can be told; what nobody foresaw is said once, where nothing is shown yet. */
async function endBadly(door: Door, { session, channel, words }: Room, reply: Reply | null, error: unknown) {
  const refusal = asDeliveryError(error);
  if (refusal instanceof DeliveryError) {
    door.logger.info({ sessionId: session.id, code: refusal.code }, 'an answer was not shown');
    if (refusal.code !== 'gone') door.mutes.mute(channel.id, MUTE_MS);
    return;
  }
  if (reply === null) throw error;
  door.logger.error({ sessionId: session.id, error }, 'an answer failed');
  if (reply.messageIds().length === 0) await reply.close(sentenceOf(words, error));
}
