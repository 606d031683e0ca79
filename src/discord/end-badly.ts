import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { lastWord } from './last-word.js';
import type { Showing } from './outcome.js';
import type { Room } from './room.js';
import { isLasting, mark } from './tell.js';

/** The mark of a question where the bot may not write. */
export const SILENCED_MARK = '\u{1F910}';

/** Ends a turn whose answer, or whose notice, could not be shown; what nobody foresaw is said once, where nothing is shown yet. */
export async function endBadly(door: Door, room: Room, showing: Showing | null, error: unknown): Promise<void> {
  const refusal = asDeliveryError(error);
  if (refusal instanceof DeliveryError) return endRefused(door, room, showing, refusal);
  if (showing === null) throw error;
  door.logger.error({ sessionId: room.session.id, error }, 'an answer failed');
  const { reply } = showing;
  if (reply.messageIds().length === 0) await lastWord(door, room, reply.triggerId, sentenceOf(room.words, error));
}

/**
 * A place that refuses every answer is left alone for a while; where only this one was refused, its asker is told so, and
 * nobody else need notice. Where a message of the answer was deleted, that was an order.
 */
async function endRefused(door: Door, room: Room, showing: Showing | null, refusal: DeliveryError): Promise<void> {
  const { session, words, channel } = room;
  const { code } = refusal;
  door.logger.info({ sessionId: session.id, code }, 'an answer was not shown');
  if (code === 'gone') return;
  const triggerId = showing?.reply.triggerId ?? '';
  if (isLasting(refusal)) {
    await room.refused();
    // To react takes another right than to write does.
    if (code === 'no-permission' && channel !== null) await mark(door, channel, triggerId, SILENCED_MARK);
    return;
  }
  if (showing === null || showing.complete) return;
  const reason = code === 'blocked' || code === 'unreachable' ? code : 'rejected';
  await lastWord(door, room, triggerId, words.reply.refused[reason]);
}
