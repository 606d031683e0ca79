import { cleanText } from '../conversation/message.js';
import { ownScope, type Session } from '../conversation/session.js';
import type { Compaction } from './compaction.js';
import { eraseShown } from './erase.js';
import { lookAfter } from './look-after.js';
import type { Parts } from './parts.js';

/** A message of a person that was changed: its id, who wrote it, and what it says now. */
export type Edit = { platformId: string; authorId: string; text: string };

/**
 * Replaces a remembered message's text; summaries over it are rebuilt. What an author changes who has opted out is erased:
 * the new text must not be kept, and the old one is no longer said. False when nothing changed.
 */
export async function editRemembered(
  parts: Parts,
  compaction: Compaction,
  given: Session,
  { platformId, authorId, text }: Edit,
): Promise<boolean> {
  const { store } = parts;
  const { optedOut } = await store.optOut(ownScope(given), authorId);
  if (optedOut) {
    const kept = await store.findMessage(given.id, platformId);
    if (kept?.text === cleanText(text)) return false;
    await eraseShown(parts, compaction, given, [platformId]);
    return kept !== null;
  }
  // A door may not know of a thread's channel, whose settings count in a rebuild.
  const session = (await store.findSession(given.id)) ?? given;
  const changed = await lookAfter(compaction, session, () => store.edit(session.id, platformId, text));
  if (changed) compaction.enqueue(session);
  return changed;
}
