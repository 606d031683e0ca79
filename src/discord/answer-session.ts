import { type Deliver, Parked, type Refused, type TurnOutcome } from '../chatbot/delivery.js';
import type { Turn } from '../conversation/store.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { endBadly } from './end-badly.js';
import { sentenceOf } from './failures.js';
import { lastWord } from './last-word.js';
import { lookUpDeliveries, removeSurplus } from './outbox.js';
import { explainOutcome, type Showing } from './outcome.js';
import { pauseOf, replyFor } from './reply-for.js';
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
  let showing: Showing | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    const former = showing;
    const reply = replyFor(door, room, turn, running);
    const present: Showing = { reply, turn, complete: false };
    showing = present;
    if (former !== null) door.taken.release(session.id, idsOf(former.turn));
    door.taken.take(session.id, idsOf(turn));
    if (!running.begin(turn.questions, reply)) return parkAtEnd(running);
    begin(turn);
    try {
      // The question that it replied to was forgotten meanwhile; what is left of the turn is answered anew.
      if (former !== null && former.reply.triggerId !== reply.triggerId) await former.reply.remove();
      await lookUpDeliveries(door, room.channel, turn);
      await reply.deliver(pieces);
      present.complete = true;
      await removeSurplus(door, room.channel, turn, reply.messageIds().length);
    } catch (error) {
      parkAtEnd(running);
      throw isOutage(error) ? new Parked() : error;
    }
  };
  try {
    const images = (turn: Turn) => door.pictures.of(idsOf(turn));
    const { signal } = running;
    const ready = () => door.downloads.settled(session.id, signal);
    const outcome = await door.chatbot.answer(session, deliver, { signal, images, ready });
    if (outcome.kind === 'expired') door.taken.take(session.id, idsOf(outcome.turn));
    for (const refused of outcome.refused ?? []) await explainRefusal(door, room, refused);
    if (outcome.kind === 'parked') await explainPause(door, room, showing, running);
    else await explainOutcome(door, room, outcome, showing, running);
    return outcome.kind;
  } catch (error) {
    await endBadly(door, room, showing, error);
    return 'failed';
  } finally {
    running.finish();
  }
}

/** Others were answered; who has used up their own budget is told so. */
async function explainRefusal(door: Door, room: Room, { questionId, error }: Refused): Promise<void> {
  door.taken.take(room.session.id, [questionId]);
  await room.say(sentenceOf(room.words, error), questionId);
}

/** What was shown in part may have to wait where the bot cannot come back to: its asker is told to ask again. */
async function explainPause(door: Door, room: Room, showing: Showing | null, running: RunningAnswer): Promise<void> {
  door.logger.warn({ sessionId: room.session.id }, 'an answer waits for a better time');
  if (room.channel !== null || showing === null || running.stopped() === 'shutdown') return;
  const { reply } = showing;
  if (reply.messageIds().length > 0) await lastWord(door, room, reply.triggerId, pauseOf(room));
}

/** Whether a turn was there and has ended. */
export function hasEnded(kind: TurnOutcome['kind']): boolean {
  return kind !== 'parked' && kind !== 'nothing';
}

function idsOf({ questions }: Turn): string[] {
  return questions.map(({ platformId }) => platformId);
}

/** At the end of the program a turn waits in the store for the next start. */
function parkAtEnd(running: RunningAnswer): void {
  if (running.stopped() === 'shutdown') throw new Parked();
}

function isOutage(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code === 'unreachable';
}
