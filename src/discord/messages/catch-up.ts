import { setImmediate } from 'node:timers/promises';
import { type Message, PermissionFlagsBits, type SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { faultStep } from '../../fault.js';
import { resumeTurns } from '../answers/resume.js';
import { fetchChannel, isRefusal } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf } from '../shared/incoming.js';
import { forgetChannel, isOfDeleted, saysDeleted } from './erasure.js';
import { handleMessage } from './handle-message.js';
import { followChanges, keptOf, type Past } from './missed-changes.js';

const PAGE = 100;
const PAGES = 5;
/** Keeps catching up below 25 requests a second, half of what Discord allows in all. */
const REQUEST_EVERY_MS = 40;

/**
 * Reads what was said, changed and deleted while the bot was away: in every session that was alive lately, what came
 * after the newest message that it has heard is stored as usual, and answered where it is fresh; what is gone from the channel is erased.
 * Sessions with questions that wait come first, and their turns are taken up then: no answer may be made of what was
 * deleted meanwhile, unless somebody asks there now. Only the sessions that are `concerned`.
 */
export async function catchUp(door: BotContext, concerned: (session: Session) => boolean = () => true): Promise<void> {
  await door.gaps.read(async () => {
    const waiting = (await door.chatbot.places.pending()).map(({ session }) => session).filter(concerned);
    for (const session of waiting) await attempt(door, session);
    const resumed = resumeTurns(door).catch((error) => door.logger.error({ error }, 'turns were not taken up'));
    const done = new Set(waiting.map(({ id }) => id));
    for await (const session of door.chatbot.places.sessions()) {
      if (concerned(session) && !done.has(session.id)) await attempt(door, session);
    }
    await resumed;
  });
}

/**
 * Catches up with a session; one that Discord or the store failed for is owed, and is tried again later. Sessions that were
 * not alive lately are done at once, and however many they are, other events come in between. Whether it is settled.
 */
async function attempt(door: BotContext, session: Session): Promise<boolean> {
  await setImmediate();
  try {
    await catchUpSession(door, session);
  } catch (error) {
    if (saysDeleted(door, session, error)) return forgetDeleted(door, session);
    door.logger.warn({ sessionId: session.id, error }, 'a session was not caught up with');
    if (!isRefusal(error)) {
      door.gaps.debts.add(session, door.clock());
      return false;
    }
  }
  door.gaps.settle(session.id);
  return true;
}

async function forgetDeleted(door: BotContext, { id }: Session): Promise<boolean> {
  door.logger.info({ sessionId: id }, 'a channel that was deleted is forgotten');
  await forgetChannel(door, channelIdOf(id) ?? '').catch((error) =>
    door.logger.error({ sessionId: id, error }, 'a channel that was deleted was not forgotten'),
  );
  return true;
}

async function catchUpSession(door: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null) return;
  const since = await door.gaps.edge(session.id);
  if (since === null || door.clock() - since > door.options.catchUpMs) return;
  await door.pace.wait(REQUEST_EVERY_MS);
  const channel = await fetchChannel(door, session);
  if (channel === null || !showsHistory(door, channel)) return;
  // Listed before the channel is read: what is said meanwhile is not missing there.
  const kept = await keptOf(door, session, PAGE * PAGES);
  const past = await readBack(door, channel, since);
  await faultStep('catch-up:read');
  await followChanges(door, session, channel, kept, past);
  // The session may have been forgotten while its past was read.
  takeInMissed(door, (await door.gaps.edge(session.id)) ?? since, past.messages);
}

/** Not awaited one by one: an answer may take long, and the order within a session is kept by its queue. */
function takeInMissed(door: BotContext, since: number, messages: Message[]): void {
  const missed = messages.filter(({ createdTimestamp }) => createdTimestamp >= since).reverse();
  for (const message of missed) {
    if (isOfDeleted(door, message)) return;
    if (door.gaps.wasHeard(message)) continue;
    void handleMessage(door, door.gaps.latest(message)).catch((error) =>
      door.logger.error({ error }, 'a missed message was not handled'),
    );
  }
}

/** Without the right to read the history, Discord shows an empty one. */
function showsHistory(door: BotContext, channel: SendableChannels): boolean {
  if (channel.isDMBased()) return true;
  return channel.permissionsFor(door.client.user)?.has(PermissionFlagsBits.ReadMessageHistory) ?? false;
}

/** The newest messages of a channel, newest first, back to a time; one page at least, so that deletions show. */
async function readBack(door: BotContext, channel: SendableChannels, since: number): Promise<Past> {
  const past: Past = { messages: [], all: false };
  for (let page = 0; page < PAGES; page += 1) {
    const before = past.messages.at(-1)?.id;
    const found = await channel.messages.fetch({ limit: PAGE, cache: false, ...(before !== undefined && { before }) });
    past.messages.push(...[...found.values()].sort((a, b) => Number(BigInt(b.id) - BigInt(a.id))));
    past.all = found.size < PAGE;
    if (past.all || (past.messages.at(-1)?.createdTimestamp ?? 0) < since) break;
    await door.pace.wait(REQUEST_EVERY_MS);
  }
  return past;
}

/**
 * Tries again to catch up with the sessions that are owed, after the pauses of a request that failed and then at the
 * interval of turns that wait, for as long as one is owed and the bot runs; call the result to end that. Questions that
 * wait there are taken up once it has succeeded.
 */
export function startCatchUpLoop(door: BotContext): () => void {
  const { pausesMs, retryMs } = door.options;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let tries = 0;
  const wait = () => {
    if (!ended) timer ??= setTimeout(tryAgain, pausesMs[tries] ?? retryMs).unref();
  };
  const tryAgain = async () => {
    await readOwed(door, () => ended);
    timer = null;
    const done = door.gaps.debts.all().length === 0;
    tries = done ? 0 : tries + 1;
    if (!done) wait();
  };
  door.gaps.debts.whenAdded(wait);
  if (door.gaps.debts.all().length > 0) wait();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Until one fails, which then comes last the next time: an outage costs one request, and a single channel holds up no other. */
async function readOwed(door: BotContext, isEnded: () => boolean): Promise<void> {
  let settled = false;
  for (const session of door.gaps.debts.all()) {
    if (isEnded() || !(await attempt(door, session))) break;
    settled = true;
  }
  if (!settled || isEnded()) return;
  void resumeTurns(door).catch((error) => door.logger.error({ error }, 'turns were not taken up'));
}
