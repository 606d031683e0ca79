import type { Message, SendableChannels } from 'discord.js';
import type { Delivery } from '../conversation/deliveries.js';
import type { Turn } from '../conversation/store.js';
import type { Door } from './door.js';
import { triggerOf } from './reply-for.js';

/** How many messages after a question are looked through for an answer to it. */
const LOOK_UP = 50;

/**
 * Finds out what an interrupted answer has already shown: chunks that were sent but not confirmed are looked for in the
 * channel, so that none is sent twice. What an earlier question of the same turn was shown is taken away.
 */
export async function lookUpDeliveries(door: Door, channel: SendableChannels, turn: Turn): Promise<void> {
  const answerTo = triggerOf(turn);
  const { deliveries } = door.chatbot;
  const planned = await deliveries.deliveriesOf(turn.sessionId, answerTo);
  if (planned.some(({ messageId }) => messageId === null)) await confirmShown(door, channel, planned);
  for (const { platformId } of turn.questions) {
    if (platformId !== answerTo) await removeShown(channel, await deliveries.deliveriesOf(turn.sessionId, platformId));
  }
}

/** Takes away what an interrupted answer showed beyond the messages that its new text needs. */
export async function removeSurplus(
  door: Door,
  channel: SendableChannels,
  turn: Turn,
  messages: number,
): Promise<void> {
  const shown = await door.chatbot.deliveries.deliveriesOf(turn.sessionId, triggerOf(turn));
  await removeShown(
    channel,
    shown.filter(({ chunk }) => chunk >= messages),
  );
}

async function confirmShown(door: Door, channel: SendableChannels, planned: Delivery[]): Promise<void> {
  const [first] = planned;
  if (first === undefined || !/^\d+$/u.test(first.answerTo)) return;
  const found = await channel.messages.fetch({ after: first.answerTo, limit: LOOK_UP, cache: false });
  const mine = [...found.values()].filter(({ author }) => author.id === door.client.user.id).reverse();
  for (const delivery of planned) {
    if (delivery.messageId !== null) continue;
    const shown = await nextShown(door, mine, delivery);
    if (shown === undefined) return;
    await door.chatbot.deliveries.confirmDelivery(delivery.sessionId, delivery.answerTo, delivery.chunk, shown.id);
  }
}

/** The first chunk is a reply to the question; the others follow without a reference, and show no other answer. */
async function nextShown(door: Door, mine: Message[], delivery: Delivery): Promise<Message | undefined> {
  for (const message of mine) {
    const replies = message.reference?.messageId === delivery.answerTo;
    if (delivery.chunk === 0 ? !replies : message.reference !== null) continue;
    if ((await door.chatbot.deliveries.answeredBy(delivery.sessionId, message.id)) === null) return message;
  }
  return undefined;
}

async function removeShown(channel: SendableChannels, shown: Delivery[]): Promise<void> {
  for (const { messageId } of shown) {
    if (messageId !== null) await channel.messages.delete(messageId).catch(() => {});
  }
}
