import { type Message, MessageFlags, Routes, type SendableChannels } from 'discord.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';
import type { Mutes } from './mutes.js';

/** A channel that refuses something is left alone with it for so long, since refusals count as invalid requests. */
export const MUTE_MS = 60_000;

/** What of a door is needed to say something. */
type Teller = { mutes: Mutes };

/** Says one sentence in reply to a message; where the bot may not write, that is nobody's fault. False when it was not said. */
export async function tell(door: Teller, message: Message, sentence: string): Promise<boolean> {
  return quietly(door, message.channelId, () =>
    message.reply({
      content: sentence,
      allowedMentions: { parse: [], repliedUser: false },
      flags: MessageFlags.SuppressEmbeds,
      failIfNotExists: false,
    }),
  );
}

/** Says one sentence in a channel, in reply to a message by its id; `strict` says it only if that message still stands. */
export async function tellIn(
  door: Teller,
  channel: SendableChannels,
  replyTo: string,
  sentence: string,
  strict = false,
): Promise<boolean> {
  const reference = /^\d+$/u.test(replyTo) && { reply: { messageReference: replyTo, failIfNotExists: strict } };
  return quietly(door, channel.id, () =>
    channel.send({
      content: sentence,
      allowedMentions: { parse: [], repliedUser: false },
      flags: MessageFlags.SuppressEmbeds,
      ...reference,
    }),
  );
}

/** Marks a message with a reaction of the bot. */
export async function react(door: Teller, message: Message, emoji: string): Promise<boolean> {
  return quietly(door, `reactions ${message.channelId}`, () => message.react(emoji));
}

/** Marks a message by its id. */
export async function mark(
  door: Teller,
  channel: SendableChannels,
  messageId: string,
  emoji: string,
): Promise<boolean> {
  if (!/^\d+$/u.test(messageId)) return false;
  const route = Routes.channelMessageOwnReaction(channel.id, messageId, encodeURIComponent(emoji));
  return quietly(door, `reactions ${channel.id}`, () => channel.client.rest.put(route));
}

/** Takes a reaction of the bot away. */
export async function unreact(
  door: Teller,
  message: Pick<Message, 'client' | 'channelId'>,
  id: string,
  emoji: string,
): Promise<boolean> {
  const route = Routes.channelMessageOwnReaction(message.channelId, id, encodeURIComponent(emoji));
  return quietly(door, `reactions ${message.channelId}`, () => message.client.rest.delete(route));
}

async function quietly({ mutes }: Teller, place: string, request: () => Promise<unknown>): Promise<boolean> {
  if (mutes.isMuted(place)) return false;
  try {
    await request();
    return true;
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    if (isLasting(failure)) mutes.mute(place, MUTE_MS);
    return false;
  }
}

/** Whether the same would be refused again; a message that was deleted or an outage says nothing of the channel. */
export function isLasting({ code }: DeliveryError): boolean {
  return (
    code !== 'gone' && code !== 'unreachable' && code !== 'no-history' && code !== 'rejected' && code !== 'blocked'
  );
}
