import type { Core } from './core.js';
import type { FakeChannel, FakeUser } from './entities.js';
import { reactionChanged } from './gateway/message-events.js';
import type { StoredMessage } from './history.js';
import { emojiJson } from './render-message.js';

/** Somebody reacts; a second time changes nothing. `emoji` is a character or `name:id`. */
export function addReaction(
  core: Core,
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: string,
): void {
  const { reactions } = core.world;
  const onMessage = reactions.get(message.id) ?? new Map<string, Set<string>>();
  const users = onMessage.get(emoji) ?? new Set<string>();
  reactions.set(message.id, onMessage.set(emoji, users));
  if (users.has(user.id)) return;
  users.add(user.id);
  reactionChanged(core, 'ADD', channel, message, user, emojiJson(emoji));
  core.journal.changed();
}

/** Somebody takes a reaction back. */
export function removeReaction(
  core: Core,
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: string,
): void {
  if (core.world.reactions.get(message.id)?.get(emoji)?.delete(user.id) !== true) return;
  reactionChanged(core, 'REMOVE', channel, message, user, emojiJson(emoji));
  core.journal.changed();
}
