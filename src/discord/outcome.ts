import type { TurnOutcome } from '../chatbot/delivery.js';
import type { KeepsakeError } from '../conversation/errors.js';
import { triggerIdOf } from '../conversation/turn.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { removeUnfinished } from './outbox.js';
import type { Reply } from './reply.js';
import { isSnowflake } from './reply-channel.js';
import type { Room } from './room.js';
import type { RunningAnswer } from './running.js';
import { mark } from './tell.js';

/** Says how a turn ended where the answer itself does not; what was deleted or forgotten leaves nothing of an answer behind. */
export async function explainOutcome(
  door: Door,
  room: Room,
  outcome: TurnOutcome,
  reply: Reply | null,
  running: RunningAnswer,
): Promise<void> {
  const { words, channel } = room;
  if (outcome.kind === 'expired') {
    await removeUnfinished(door, channel, outcome.turn);
    return void (await room.say(words.chat.expired, triggerIdOf(outcome.turn)));
  }
  if (reply === null || running.stopped() === 'deleted') return;
  if (outcome.kind === 'forgotten') {
    await reply.remove();
    return void (await room.say(words.chat.forgotten, reply.triggerId, true));
  }
  if (outcome.kind === 'answered') {
    if (outcome.nearly !== undefined) await room.say(words.budget.nearly[outcome.nearly], '');
    return outcome.finish === 'length' ? reply.close(words.answerCutOff) : undefined;
  }
  if (reply.messageIds().length > 0) return;
  if (outcome.kind === 'cancelled') return reply.close(words.answerStopped);
  if (outcome.kind !== 'failed') return;
  const markable = channel !== null && isSnowflake(reply.triggerId);
  if (isNews(door, room, outcome.error) || !markable) return reply.close(sentenceOf(words, outcome.error));
  await mark(door, channel, reply.triggerId, RESTING_MARK);
}

/** The mark of a question that fails for the reason that its channel was told lately. */
const RESTING_MARK = '\u{26A0}\u{FE0F}';

/** While an endpoint is given a rest, a session hears of it once. */
function isNews(door: Door, { session }: Room, error: KeepsakeError): boolean {
  const rest = 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : 0;
  return rest === 0 || door.mutes.first(`notice ${session.id} ${error.code}`, rest);
}
