import type { Message, SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { type Delivery, type Turn, triggerIdOf } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, isGone } from '../shared/delivery-error.js';
import { isSnowflake } from '../shared/format.js';

/** How many messages after a question are searched for an answer to it. */
const SEARCHED_MESSAGES = 50;

/**
 * Finds out what an interrupted answer has already shown: planned chunks without a confirmation are looked for in the channel,
 * so that none is sent twice. What was shown in reply to an earlier question of the same turn is deleted.
 */
export async function reconcileDeliveries(
  ctx: BotContext,
  channel: SendableChannels | null,
  turn: Turn,
): Promise<void> {
  const answerTo = triggerIdOf(turn);
  await confirmedDeliveries(ctx, channel, turn.sessionId, answerTo);
  for (const { platformId } of turn.questions) {
    if (platformId !== answerTo) await deleteShown(ctx, channel, turn.sessionId, platformId);
  }
}

/** Deletes what an interrupted answer showed beyond the messages that its new text needs. */
export async function deleteSurplusMessages(
  ctx: BotContext,
  channel: SendableChannels | null,
  turn: Turn,
  messages: number,
): Promise<void> {
  await deleteShown(ctx, channel, turn.sessionId, triggerIdOf(turn), messages);
}

/** Deletes what is shown of an answer that will not be completed. */
export async function deleteUnfinishedAnswer(
  ctx: BotContext,
  channel: SendableChannels | null,
  turn: Turn,
): Promise<void> {
  const ids = new Set([...turn.questions.map(({ platformId }) => platformId), triggerIdOf(turn)]);
  for (const id of ids) await deleteShown(ctx, channel, turn.sessionId, id);
}

/**
 * Deletes what is shown of an interrupted answer whose questions were deleted: without any question left it has ended, else it
 * is made anew in reply to another one, unless its text is complete. To be called before the questions are erased; `find`
 * fetches the channel.
 */
export async function deleteAnswerWithoutQuestions(
  ctx: BotContext,
  session: Session,
  deletedIds: readonly string[],
  find: () => Promise<SendableChannels | null>,
): Promise<void> {
  const unfinished = await ctx.chatbot.deliveries.unfinishedAnswer(session.id);
  if (unfinished === null) return;
  const { turn, answer } = unfinished;
  const deleted = turn.questions.filter(({ platformId }) => deletedIds.includes(platformId));
  if (deleted.length === 0) return;
  const channel = await find();
  const waits = turn.questions.some((question) => question.state === 'pending' && !deleted.includes(question));
  if (!waits) return deleteUnfinishedAnswer(ctx, channel, turn);
  if (answer !== null) return;
  for (const { platformId } of deleted) await deleteShown(ctx, channel, session.id, platformId);
}

/** The deliveries of an answer, with those confirmed that can be found in the channel. */
async function confirmedDeliveries(
  ctx: BotContext,
  channel: SendableChannels | null,
  sessionId: string,
  answerTo: string,
): Promise<Delivery[]> {
  const { deliveries } = ctx.chatbot;
  const planned = await deliveries.deliveriesOf(sessionId, answerTo);
  if (channel === null || planned.every(({ messageId }) => messageId !== null)) return planned;
  await confirmShown(ctx, channel, planned);
  return deliveries.deliveriesOf(sessionId, answerTo);
}

async function confirmShown(ctx: BotContext, channel: SendableChannels, planned: Delivery[]): Promise<void> {
  const [first] = planned;
  if (first === undefined || !isSnowflake(first.answerTo)) return;
  const found = await channel.messages.fetch({ after: first.answerTo, limit: SEARCHED_MESSAGES, cache: false });
  const own = [...found.values()].filter(({ author }) => author.id === ctx.client.user.id).reverse();
  for (const delivery of planned) {
    if (delivery.messageId !== null) continue;
    const message = await messageOf(ctx, own, delivery);
    if (message === undefined) return;
    await ctx.chatbot.deliveries.confirmDelivery(delivery.sessionId, delivery.answerTo, delivery.chunk, message.id);
  }
}

/** The first chunk is a reply to the question; the others follow without a reference, and show no other answer. */
async function messageOf(ctx: BotContext, own: Message[], delivery: Delivery): Promise<Message | undefined> {
  for (const message of own) {
    const replies = message.reference?.messageId === delivery.answerTo;
    if (delivery.chunk === 0 ? !replies : message.reference !== null) continue;
    if ((await ctx.chatbot.deliveries.answeredBy(delivery.sessionId, message.id)) === null) return message;
  }
  return undefined;
}

/** Drops the deliveries first: the deletion of a message that still showed an answer would erase the answer too. */
async function deleteShown(
  ctx: BotContext,
  channel: SendableChannels | null,
  sessionId: string,
  answerTo: string,
  fromChunk = 0,
): Promise<void> {
  const deliveries = await confirmedDeliveries(ctx, channel, sessionId, answerTo);
  const surplus = deliveries.filter(({ chunk }) => chunk >= fromChunk);
  if (surplus.length === 0) return;
  await ctx.chatbot.deliveries.dropDeliveries(sessionId, answerTo, fromChunk);
  for (const { messageId } of surplus) {
    if (messageId !== null) await channel?.messages.delete(messageId).catch(ignoreDeliveryError);
  }
}

function ignoreDeliveryError(error: unknown): void {
  const failure = asDeliveryError(error);
  if (!isGone(failure) && failure === error) throw error;
}
