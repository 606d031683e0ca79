import type { TurnOutcome } from '../chatbot/delivery.js';
import type { KeepsakeError } from '../conversation/errors.js';
import type { Turn } from '../conversation/store.js';
import { triggerIdOf, triggerOf } from '../conversation/turn.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { FAILED_MARK, lastWord } from './last-word.js';
import { removeUnfinished } from './outbox.js';
import { isRemembered } from './remembered.js';
import type { Reply } from './reply.js';
import { isSnowflake } from './reply-channel.js';
import type { Room } from './room.js';
import type { RunningAnswer } from './running.js';
import { mark } from './tell.js';

/** An answer in its room, and the turn that it answers; `complete` once all of it was shown. */
export type Showing = { reply: Reply; turn: Turn; complete: boolean };

/** Says how a turn ended where the answer itself does not; what was deleted or forgotten leaves nothing of an answer behind. */
export async function explainOutcome(
  door: Door,
  room: Room,
  outcome: TurnOutcome,
  showing: Showing | null,
  running: RunningAnswer,
): Promise<void> {
  const { words, channel } = room;
  if (outcome.kind === 'expired') {
    await removeUnfinished(door, channel, outcome.turn).finally(() =>
      lastWord(door, room, triggerIdOf(outcome.turn), words.chat.expired),
    );
    return;
  }
  if (showing === null || running.stopped() === 'deleted') return;
  const { reply } = showing;
  if (outcome.kind === 'forgotten') return explainLoss(door, room, showing);
  if (outcome.kind === 'answered') {
    // What somebody has used is theirs to know, so it is said in reply to them.
    if (outcome.nearly !== undefined) await room.say(words.budget.nearly[outcome.nearly], reply.triggerId);
    return outcome.finish === 'length' ? reply.close(words.answerCutOff) : undefined;
  }
  if (reply.messageIds().length > 0) return;
  if (outcome.kind === 'cancelled') return reply.close(words.answerStopped);
  if (outcome.kind !== 'failed') return;
  const markable = channel !== null && isSnowflake(reply.triggerId);
  if (isNews(door, room, outcome.error) || !markable) return reply.close(sentenceOf(words, outcome.error));
  await mark(door, channel, reply.triggerId, FAILED_MARK);
}

/** An answer may be lost because its question was forgotten, or because of others that it was made of. */
async function explainLoss(door: Door, room: Room, { reply, turn }: Showing): Promise<void> {
  const { session, words } = room;
  await reply.remove();
  const id = reply.triggerId;
  const stands = await isRemembered(door, session, { id, at: triggerOf(turn)?.createdAt ?? 0 });
  await room.say(stands ? words.chat.lost : words.chat.forgotten, id, { strict: true });
}

/** While an endpoint is given a rest, a session hears of it once. */
function isNews(door: Door, { session }: Room, error: KeepsakeError): boolean {
  const rest = 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : 0;
  return rest === 0 || door.mutes.first(`notice ${session.id} ${error.code}`, rest);
}
