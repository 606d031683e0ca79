import { isForeign } from '../conversation/archive-ids.js';
import type { Message } from '../conversation/message.js';

/** How far a session has heard by the newest message of a person that it keeps; null when that was said in another one. */
export function heardAt(newest: Pick<Message, 'platformId' | 'createdAt'> | undefined): number | null {
  return newest === undefined || isForeign(newest.platformId) ? null : newest.createdAt;
}

/**
 * From when on a session may have missed something: the time of the newest message that it keeps, which is known by its
 * id, or the millisecond after the newest that it let go; null when it never held one.
 */
export function unheardFrom(keptAt: number | null, goneThrough: number | null): number | null {
  if (goneThrough === null || (keptAt !== null && keptAt >= goneThrough)) return keptAt;
  return goneThrough + 1;
}
