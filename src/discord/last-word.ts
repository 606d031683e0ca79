import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Door } from './door.js';
import type { Room } from './room.js';
import { mark, type Told } from './tell.js';

/** The mark of a question that has failed, where the reason was told lately or cannot be said. */
export const FAILED_MARK = '\u{26A0}\u{FE0F}';
/** How often what an outage has kept from being said is tried again: for ten minutes, at the usual interval. */
const TRIES = 20;

/**
 * Ends a question that gets no answer: with one sentence in reply to it, or with a mark where Discord refuses that. During
 * an outage of Discord it is tried again later, and not waited for.
 */
export async function lastWord(door: Door, room: Room, questionId: string, sentence: string): Promise<void> {
  // Said once, also when only the answer to the request was lost.
  const nonce = randomBytes(12).toString('base64url');
  const attempt = async (): Promise<Told> => {
    const said = await room.say(sentence, questionId, { nonce });
    return said === 'refused' && room.channel !== null ? mark(door, room.channel, questionId, FAILED_MARK) : said;
  };
  if ((await attempt()) === 'away') void sayLater(door, attempt);
}

async function sayLater(door: Door, attempt: () => Promise<Told>): Promise<void> {
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      await pause(door.options.retryMs, undefined, { ref: false });
      if (door.client.isReady() && (await attempt()) !== 'away') return;
    }
    door.logger.warn({}, 'a last word was not said before the outage was over');
  } catch (error) {
    door.logger.error({ error }, 'a last word was not said');
  }
}
