import { setImmediate } from 'node:timers/promises';
import { type Message, PermissionFlagsBits, type SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { faultStep } from '../../fault.js';
import { resumeTurns } from '../answers/resume.js';
import { fetchChannel } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { isRefusal } from '../shared/delivery-error.js';
import { channelIdOf } from '../shared/incoming.js';
import { forgetChannel, isFromDeletedChannel, meansChannelDeleted } from './erasure.js';
import { handleMessage } from './handle-message.js';
import { applyMissedChanges, type ChannelHistory, storedIdsOf } from './missed-changes.js';

/** Messages of one request, Discord's maximum, and requests for one channel. */
const PAGE = 100;
const PAGES = 5;
/** Keeps the backfill below 25 requests a second, half of Discord's global limit. */
const REQUEST_INTERVAL_MS = 40;

/**
 * Reads what was said, changed and deleted while the bot was offline: in every recently active session, messages after the
 * newest known one are stored as usual and answered where they are fresh; what was deleted or edited is erased or changed.
 * Sessions with waiting questions come first and are resumed then: no answer may be made of what was deleted meanwhile, unless
 * somebody asks there now. Only the sessions that are `concerned`.
 */
export async function catchUp(ctx: BotContext, concerned: (session: Session) => boolean = () => true): Promise<void> {
  await ctx.backfill.run(async () => {
    const pending = (await ctx.chatbot.sessions.pendingSessions()).map(({ session }) => session).filter(concerned);
    for (const session of pending) await tryCatchUp(ctx, session);
    const resumed = resumeTurns(ctx).catch((error) => ctx.logger.error({ error }, 'failed to resume turns'));
    const done = new Set(pending.map(({ id }) => id));
    for await (const session of ctx.chatbot.eachSession()) {
      if (concerned(session) && !done.has(session.id)) await tryCatchUp(ctx, session);
    }
    await resumed;
  });
}

/**
 * Backfills a session; one that Discord or the store failed for goes on the retry list. Other events are handled in between,
 * however many sessions there are. Resolves with whether it is settled.
 */
async function tryCatchUp(ctx: BotContext, session: Session): Promise<boolean> {
  await setImmediate();
  try {
    await catchUpSession(ctx, session);
  } catch (error) {
    if (meansChannelDeleted(ctx, session, error)) return forgetDeletedChannel(ctx, session);
    ctx.logger.warn({ sessionId: session.id, error }, 'failed to catch up with a session');
    if (!isRefusal(error)) {
      ctx.backfill.retryList.add(session, ctx.clock());
      return false;
    }
  }
  ctx.backfill.settle(session.id);
  return true;
}

async function forgetDeletedChannel(ctx: BotContext, { id }: Session): Promise<boolean> {
  ctx.logger.info({ sessionId: id }, 'forgetting a deleted channel');
  await forgetChannel(ctx, channelIdOf(id) ?? '').catch((error) =>
    ctx.logger.error({ sessionId: id, error }, 'failed to forget a deleted channel'),
  );
  return true;
}

async function catchUpSession(ctx: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null) return;
  const since = await ctx.backfill.missedSince(session.id);
  if (since === null || ctx.clock() - since > ctx.options.catchUpMs) return;
  await ctx.sleep(REQUEST_INTERVAL_MS);
  const channel = await fetchChannel(ctx, session);
  if (channel === null || !canReadHistory(ctx, channel)) return;
  // Listed before the channel is read, so that messages which arrive meanwhile do not count as deleted.
  const stored = await storedIdsOf(ctx, session, PAGE * PAGES);
  const history = await fetchHistory(ctx, channel, since);
  await faultStep('catch-up:read');
  await applyMissedChanges(ctx, session, channel, stored, history);
  // The session may have been forgotten while its channel was read.
  handleMissed(ctx, (await ctx.backfill.missedSince(session.id)) ?? since, history.messages);
}

/** Without the permission to read the history, Discord shows an empty one. */
function canReadHistory(ctx: BotContext, channel: SendableChannels): boolean {
  if (channel.isDMBased()) return true;
  return channel.permissionsFor(ctx.client.user)?.has(PermissionFlagsBits.ReadMessageHistory) ?? false;
}

/** Fetches the newest messages back to a time; one page at least, so that deletions show. */
async function fetchHistory(ctx: BotContext, channel: SendableChannels, since: number): Promise<ChannelHistory> {
  const history: ChannelHistory = { messages: [], complete: false };
  for (let page = 0; page < PAGES; page += 1) {
    const before = history.messages.at(-1)?.id;
    const found = await channel.messages.fetch({ limit: PAGE, cache: false, ...(before !== undefined && { before }) });
    history.messages.push(...[...found.values()].sort((a, b) => Number(BigInt(b.id) - BigInt(a.id))));
    history.complete = found.size < PAGE;
    if (history.complete || (history.messages.at(-1)?.createdTimestamp ?? 0) < since) break;
    await ctx.sleep(REQUEST_INTERVAL_MS);
  }
  return history;
}

/** Not awaited one by one: an answer may take long, and the intake queue keeps the order within a session. */
function handleMissed(ctx: BotContext, since: number, messages: Message[]): void {
  const missed = messages.filter(({ createdTimestamp }) => createdTimestamp >= since).reverse();
  for (const message of missed) {
    if (isFromDeletedChannel(ctx, message)) return;
    if (ctx.backfill.wasReceived(message)) continue;
    void handleMessage(ctx, ctx.backfill.latest(message)).catch((error) =>
      ctx.logger.error({ error }, 'failed to handle a missed message'),
    );
  }
}

/**
 * Retries the backfill of the sessions on the retry list, after the pauses of a failed request and then at the interval of
 * resumed turns, for as long as one is there; call the result to end that. Their waiting questions are resumed once it has
 * succeeded.
 */
export function startBackfillRetries(ctx: BotContext): () => void {
  const { pausesMs, retryMs } = ctx.options;
  const { retryList } = ctx.backfill;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let retries = 0;
  const schedule = () => {
    if (!ended) timer ??= setTimeout(retry, pausesMs[retries] ?? retryMs).unref();
  };
  const retry = async () => {
    await retryCatchUp(ctx, () => ended);
    timer = null;
    const done = retryList.all().length === 0;
    retries = done ? 0 : retries + 1;
    if (!done) schedule();
  };
  retryList.whenAdded(schedule);
  if (retryList.all().length > 0) schedule();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Stops at the first failure, whose session then comes last: an outage costs one request, and no channel blocks the others. */
async function retryCatchUp(ctx: BotContext, isEnded: () => boolean): Promise<void> {
  let settled = false;
  for (const session of ctx.backfill.retryList.all()) {
    if (isEnded() || !(await tryCatchUp(ctx, session))) break;
    settled = true;
  }
  if (!settled || isEnded()) return;
  void resumeTurns(ctx).catch((error) => ctx.logger.error({ error }, 'failed to resume turns'));
}
