import { setImmediate } from 'node:timers/promises';
import { type Message, PermissionFlagsBits, type SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { faultStep } from '../../fault.js';
import { resumeTurns } from '../answers/resume.js';
import { fetchChannel, isRefusal } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf } from '../shared/incoming.js';
import { forgetChannel, isFromDeletedChannel, meansChannelDeleted } from './erasure.js';
import { handleMessage } from './handle-message.js';
import { applyMissedChanges, type ChannelHistory, storedIdsOf } from './missed-changes.js';

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
export async function catchUp(ctx: BotContext, concerned: (session: Session) => boolean = () => true): Promise<void> {
  await ctx.gaps.read(async () => {
    const waiting = (await ctx.chatbot.sessions.pendingSessions()).map(({ session }) => session).filter(concerned);
    for (const session of waiting) await attempt(ctx, session);
    const resumed = resumeTurns(ctx).catch((error) => ctx.logger.error({ error }, 'turns were not taken up'));
    const done = new Set(waiting.map(({ id }) => id));
    for await (const session of ctx.chatbot.eachSession()) {
      if (concerned(session) && !done.has(session.id)) await attempt(ctx, session);
    }
    await resumed;
  });
}

/**
 * Catches up with a session; one that Discord or the store failed for is owed, and is tried again later. Sessions that were
 * not alive lately are done at once, and however many they are, other events come in between. Whether it is settled.
 */
async function attempt(ctx: BotContext, session: Session): Promise<boolean> {
  await setImmediate();
  try {
    await catchUpSession(ctx, session);
  } catch (error) {
    if (meansChannelDeleted(ctx, session, error)) return forgetDeleted(ctx, session);
    ctx.logger.warn({ sessionId: session.id, error }, 'a session was not caught up with');
    if (!isRefusal(error)) {
      ctx.gaps.retryList.add(session, ctx.clock());
      return false;
    }
  }
  ctx.gaps.settle(session.id);
  return true;
}

async function forgetDeleted(ctx: BotContext, { id }: Session): Promise<boolean> {
  ctx.logger.info({ sessionId: id }, 'a channel that was deleted is forgotten');
  await forgetChannel(ctx, channelIdOf(id) ?? '').catch((error) =>
    ctx.logger.error({ sessionId: id, error }, 'a channel that was deleted was not forgotten'),
  );
  return true;
}

async function catchUpSession(ctx: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null) return;
  const since = await ctx.gaps.missedSince(session.id);
  if (since === null || ctx.clock() - since > ctx.options.catchUpMs) return;
  await ctx.editThrottle.wait(REQUEST_EVERY_MS);
  const channel = await fetchChannel(ctx, session);
  if (channel === null || !showsHistory(ctx, channel)) return;
  // Listed before the channel is read: what is said meanwhile is not missing there.
  const kept = await storedIdsOf(ctx, session, PAGE * PAGES);
  const past = await readBack(ctx, channel, since);
  await faultStep('catch-up:read');
  await applyMissedChanges(ctx, session, channel, kept, past);
  // The session may have been forgotten while its past was read.
  takeInMissed(ctx, (await ctx.gaps.missedSince(session.id)) ?? since, past.messages);
}

/** Not awaited one by one: an answer may take long, and the order within a session is kept by its queue. */
function takeInMissed(ctx: BotContext, since: number, messages: Message[]): void {
  const missed = messages.filter(({ createdTimestamp }) => createdTimestamp >= since).reverse();
  for (const message of missed) {
    if (isFromDeletedChannel(ctx, message)) return;
    if (ctx.gaps.wasReceived(message)) continue;
    void handleMessage(ctx, ctx.gaps.latest(message)).catch((error) =>
      ctx.logger.error({ error }, 'a missed message was not handled'),
    );
  }
}

/** Without the right to read the history, Discord shows an empty one. */
function showsHistory(ctx: BotContext, channel: SendableChannels): boolean {
  if (channel.isDMBased()) return true;
  return channel.permissionsFor(ctx.client.user)?.has(PermissionFlagsBits.ReadMessageHistory) ?? false;
}

/** The newest messages of a channel, newest first, back to a time; one page at least, so that deletions show. */
async function readBack(ctx: BotContext, channel: SendableChannels, since: number): Promise<ChannelHistory> {
  const past: ChannelHistory = { messages: [], all: false };
  for (let page = 0; page < PAGES; page += 1) {
    const before = past.messages.at(-1)?.id;
    const found = await channel.messages.fetch({ limit: PAGE, cache: false, ...(before !== undefined && { before }) });
    past.messages.push(...[...found.values()].sort((a, b) => Number(BigInt(b.id) - BigInt(a.id))));
    past.all = found.size < PAGE;
    if (past.all || (past.messages.at(-1)?.createdTimestamp ?? 0) < since) break;
    await ctx.editThrottle.wait(REQUEST_EVERY_MS);
  }
  return past;
}

/**
 * Tries again to catch up with the sessions that are owed, after the pauses of a request that failed and then at the
 * interval of turns that wait, for as long as one is owed and the bot runs; call the result to end that. Questions that
 * wait there are taken up once it has succeeded.
 */
export function startCatchUpLoop(ctx: BotContext): () => void {
  const { pausesMs, retryMs } = ctx.options;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let tries = 0;
  const wait = () => {
    if (!ended) timer ??= setTimeout(tryAgain, pausesMs[tries] ?? retryMs).unref();
  };
  const tryAgain = async () => {
    await readOwed(ctx, () => ended);
    timer = null;
    const done = ctx.gaps.retryList.all().length === 0;
    tries = done ? 0 : tries + 1;
    if (!done) wait();
  };
  ctx.gaps.retryList.whenAdded(wait);
  if (ctx.gaps.retryList.all().length > 0) wait();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Until one fails, which then comes last the next time: an outage costs one request, and a single channel holds up no other. */
async function readOwed(ctx: BotContext, isEnded: () => boolean): Promise<void> {
  let settled = false;
  for (const session of ctx.gaps.retryList.all()) {
    if (isEnded() || !(await attempt(ctx, session))) break;
    settled = true;
  }
  if (!settled || isEnded()) return;
  void resumeTurns(ctx).catch((error) => ctx.logger.error({ error }, 'turns were not taken up'));
}
