import type { Message } from 'discord.js';
import type { Mutes } from './mutes.js';
import { react, tell } from './tell.js';

/** Marks in place of sentences that were said lately are set in a channel at most this often, in milliseconds. */
const MARK_EVERY_MS = 1_000;

/** A sentence that is news once in `everyMs` milliseconds for all who share a `key`, and the mark that stands for it otherwise. */
export type Notice = { key: string; everyMs: number; sentence: string; mark: string };

/** Says in reply to a message why nothing comes of it; a mark does where that was said lately, or cannot be said. */
export async function tellOnce(door: { mutes: Mutes }, message: Message, notice: Notice): Promise<void> {
  const { key, everyMs, sentence, mark } = notice;
  if (door.mutes.first(`${key} ${message.channelId}`, everyMs) && (await tell(door, message, sentence))) return;
  if (door.mutes.first(`marks ${message.channelId}`, MARK_EVERY_MS)) await react(door, message, mark);
}
