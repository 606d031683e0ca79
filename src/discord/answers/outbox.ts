import type { Message, SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { type Delivery, type Turn, triggerIdOf } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, isGone } from '../shared/delivery-error.js';

/** How many messages after a question are looked through for an answer to it. */
const LOOK_UP = 50;

/**
 * Finds out what an interrupted answer has already shown: chunks that were sent but not confirmed are looked for in the
 * channel, so that none is sent twice. What an earlier question of the same turn was shown is taken away.
 */
export async function confirmDeliveries(ctx: BotContext, channel: SendableChannels | null, turn: Turn): Promise<void> {
  const answerTo = triggerIdOf(turn);
  await shownFor(ctx, channel, turn.sessionId, answerTo);
  for (const { platformId } of turn.questions) {
    if (platformId !== answerTo) await removeShown(ctx, channel, turn.sessionId, platformId, 0);
  }
}

/** Takes away what an interrupted answer showed beyond the messages that its new text needs. */
export async function deleteSurplusMessages(
  ctx: BotContext,
  channel: SendableChannels | null,
  turn: Turn,
  messages: number,
): Promise<void> {
  await removeShown(ctx, channel, turn.sessionId, triggerIdOf(turn), messages);
}

/** Takes away what is shown of an answer that will not be completed. */
export async function deleteUnfinishedAnswer(
  ctx: BotContext,
  channel: SendableChannels | null,
  turn: Turn,
): Promise<void> {
  const ids = new Set([...turn.questions.map(({ platformId }) => platformId), triggerIdOf(turn)]);
  for (const id of ids) await removeShown(ctx, channel, turn.sessionId, id, 0);
}

/**
 * Takes away what is shown of an interrupted answer because these messages were deleted: with all its questions gone it ends;
 * with some it is made anew in reply to another, unless its text is complete. To be called before they are erased; `find`
 * finds the channel.
 */
export async function deleteAnswerWithoutQuestions(
  ctx: BotContext,
  session: Session,
  ids: readonly string[],
  find: () => Promise<SendableChannels | null>,
): Promise<void> {
  const unfinished = await ctx.chatbot.deliveries.unfinishedAnswer(session.id);
  if (unfinished === null) return;
  const { turn, answer } = unfinished;
  const gone = turn.questions.filter(({ platformId }) => ids.includes(platformId));
  if (gone.length === 0) return;
  const channel = await find();
  const left = turn.questions.some((question) => question.state === 'pending' && !gone.includes(question));
  if (!left) return deleteUnfinishedAnswer(ctx, channel, turn);
  if (answer !== null) return;
  for (const { platformId } of gone) await removeShown(ctx, channel, session.id, platformId, 0);
}

/** The deliveries of an answer, those that can be found in the channel confirmed. */
async function shownFor(ctx: BotContext, channel: SendableChannels | null, sessionId: string, answerTo: string) {
  const { deliveries } = ctx.chatbot;
  const planned = await deliveries.deliveriesOf(sessionId, answerTo);
  if (channel === null || planned.every(({ messageId }) => messageId !== null)) return planned;
  await confirmShown(ctx, channel, planned);
  return deliveries.deliveriesOf(sessionId, answerTo);
}

async function confirmShown(ctx: BotContext, channel: SendableChannels, planned: Delivery[]): Promise<void> {
  const [first] = planned;
  if (first === undefined || !/^\d+$/u.test(first.answerTo)) return;
  const found = await channel.messages.fetch({ after: first.answerTo, limit: LOOK_UP, cache: false });
  const mine = [...found.values()].filter(({ author }) => author.id === ctx.client.user.id).reverse();
  for (const delivery of planned) {
    if (delivery.messageId !== null) continue;
    const shown = await nextShown(ctx, mine, delivery);
    if (shown === undefined) return;
    await ctx.chatbot.deliveries.confirmDelivery(delivery.sessionId, delivery.answerTo, delivery.chunk, shown.id);
  }
}

/** The first chunk is a reply to the question; the others follow without a reference, and show no other answer. */
async function nextShown(ctx: BotContext, mine: Message[], delivery: Delivery): Promise<Message | undefined> {
  for (const message of mine) {
    const replies = message.reference?.messageId === delivery.answerTo;
    if (delivery.chunk === 0 ? !replies : message.reference !== null) continue;
    if ((await ctx.chatbot.deliveries.answeredBy(delivery.sessionId, message.id)) === null) return message;
  }
  return undefined;
}

/** Forgets the deliveries first: a message that still showed an answer would take that with it when it is deleted. */
async function removeShown(
  ctx: BotContext,
  channel: SendableChannels | null,
  sessionId: string,
  answerTo: string,
  fromChunk: number,
): Promise<void> {
  const shown = await shownFor(ctx, channel, sessionId, answerTo);
  const surplus = shown.filter(({ chunk }) => chunk >= fromChunk);
  if (surplus.length === 0) return;
  await ctx.chatbot.deliveries.dropDeliveries(sessionId, answerTo, fromChunk);
  for (const { messageId } of surplus) {
    if (messageId !== null) await channel?.messages.delete(messageId).catch(ignoreRefusal);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!isGone(asDeliveryError(error)) && asDeliveryError(error) === error) throw error;
}
