import { type Deliver, Parked, type TurnOutcome } from '../chatbot/delivery.js';
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

/**
 * Answers what waits in a session, in reply to the last question; every end of a turn can be seen in the room. Resolves
 * with how the turn ended; one that is parked is taken up later.
 */
export async function answerSession(
  door: Door,
  room: Room,
  begin: (turn: Turn) => void = () => {},
): Promise<TurnOutcome['kind']> {
  const { session } = room;
  const running = door.running.start(session.id);
  let reply: Reply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    const former = reply;
    reply = replyFor(door, room, turn, running);
    if (!running.begin(turn.questions, reply)) return parkAtEnd(running);
    begin(turn);
    try {
      // The question that it replied to was forgotten meanwhile; what is left of the turn is answered anew.
      if (former !== null && former.triggerId !== reply.triggerId) await former.remove();
      await lookUpDeliveries(door, room.channel, turn);
      await reply.deliver(pieces);
      await removeSurplus(door, room.channel, turn, reply.messageIds().length);
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
    return outcome.kind;
  } catch (error) {
    await endBadly(door, room, reply, error);
    return 'failed';
  } finally {
    running.finish();
  }
}

/** Whether a turn was there and has ended. */
export function hasEnded(kind: TurnOutcome['kind']): boolean {
  return kind !== 'parked' && kind !== 'nothing';
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
async function endBadly(door: Door, room: Room, reply: Reply | null, error: unknown): Promise<void> {
  const { session, words } = room;
  const refusal = asDeliveryError(error);
  if (refusal instanceof DeliveryError) {
    door.logger.info({ sessionId: session.id, code: refusal.code }, 'an answer was not shown');
    if (refusal.code !== 'gone') await room.refused();
    return;
  }
  if (reply === null) throw error;
  door.logger.error({ sessionId: session.id, error }, 'an answer failed');
  if (reply.messageIds().length === 0) await reply.close(sentenceOf(words, error));
}
