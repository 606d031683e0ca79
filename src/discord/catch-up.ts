import type { Message, SendableChannels } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Door } from './door.js';
import { channelOf } from './resume.js';
import { channelIdOf } from './session.js';
import { handleMessage } from './talk.js';

const PAGE = 100;
const PAGES = 5;
/** Keeps catching up below 25 requests a second, half of what Discord allows in all. */
const REQUEST_EVERY_MS = 40;

/**
 * Reads what was said, and what was deleted, while the bot was away: in every session that was alive lately, what came
 * after its newest message is stored as usual, and answered where it is fresh; what is gone from the channel is erased.
 */
export async function catchUp(door: Door): Promise<void> {
  for await (const session of door.chatbot.places.sessions()) {
    await catchUpSession(door, session).catch((error) =>
      door.logger.warn({ sessionId: session.id, error }, 'a session was not caught up with'),
    );
  }
}

async function catchUpSession(door: Door, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null) return;
  const newest = await door.chatbot.places.newestOf(session.id);
  if (newest === null || door.clock() - newest.createdAt > door.options.catchUpMs) return;
  await door.pace.wait(REQUEST_EVERY_MS);
  const channel = await channelOf(door, session);
  if (channel === null) return;
  const messages = await readBack(door, channel, newest.createdAt);
  await eraseMissing(door, session, messages);
  const missed = messages.filter(({ createdTimestamp }) => createdTimestamp >= newest.createdAt).reverse();
  // Not awaited one by one: an answer may take long, and the order within a session is kept by its queue.
  for (const message of missed)
    void handleMessage(door, message).catch((error) => door.logger.error({ error }, 'missed'));
}

/** The newest messages of a channel, newest first, back to a time; one page at least, so that deletions show. */
async function readBack(door: Door, channel: SendableChannels, since: number): Promise<Message[]> {
  const read: Message[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const before = read.at(-1)?.id;
    const found = await channel.messages.fetch({ limit: PAGE, cache: false, ...(before !== undefined && { before }) });
    read.push(...[...found.values()].sort((a, b) => b.createdTimestamp - a.createdTimestamp));
    if (found.size < PAGE || (read.at(-1)?.createdTimestamp ?? 0) < since) break;
    await door.pace.wait(REQUEST_EVERY_MS);
  }
  return read;
}

/** Erases what is stored and should be among the messages read, but is not. A thread's starter lies in its channel. */
async function eraseMissing(door: Door, session: Session, messages: Message[]): Promise<void> {
  const oldest = messages.at(-1);
  if (oldest === undefined) return;
  const from = messages.length < PAGE ? 0 : oldest.createdTimestamp;
  const stored = await door.chatbot.places.platformIdsSince(session.id, from, PAGE * PAGES);
  const there = new Set(messages.map(({ id }) => id));
  const gone = stored.filter((id) => /^\d+$/u.test(id) && !there.has(id) && id !== channelIdOf(session.id));
  if (gone.length > 0) await door.chatbot.erase(session, gone);
}
