import type { APIMessage } from 'discord.js';
import { isThread } from './entities.js';
import type { StoredMessage } from './history.js';
import { channelJson } from './render.js';
import type { World } from './world.js';

/** A message in Discord's JSON, a copy, with the message it replies to and the thread that hangs on it. */
export function messageJson(world: World, message: StoredMessage, nested = false): APIMessage {
  const copy = structuredClone(message) as APIMessage;
  const { message_id: targetId, type } = message.message_reference ?? {};
  if (!nested && targetId !== undefined && type !== 1) {
    const target = world.findMessage(targetId)?.message;
    copy.referenced_message = target === undefined ? null : messageJson(world, target, true);
  }
  const reactions = reactionsJson(world, message.id);
  if (reactions.length > 0) copy.reactions = reactions;
  const thread = world.channels.get(message.id);
  if (thread !== undefined && isThread(thread)) copy.thread = channelJson(world, thread) as never;
  return copy;
}

/** An emoji in Discord's JSON, from a character or `name:id`. */
export function emojiJson(key: string): { id: string | null; name: string } {
  const [, name, id] = /^(.+):(\d+)$/.exec(key) ?? [];
  return id === undefined || name === undefined ? { id: null, name: key } : { id, name };
}

function reactionsJson(world: World, messageId: string) {
  return [...(world.reactions.get(messageId) ?? [])]
    .filter(([, users]) => users.size > 0)
    .map(([key, users]) => ({
      emoji: emojiJson(key),
      count: users.size,
      count_details: { normal: users.size, burst: 0 },
      me: users.has(world.bot.id),
      me_burst: false,
      burst_colors: [],
    }));
}
