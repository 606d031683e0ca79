import { type Message, MessageFlags, Routes, type SendableChannels } from 'discord.js';
import { asDeliveryError, DeliveryError } from './delivery-error.js';

/** Says one sentence in reply to a message; where the bot may not write, that is nobody's fault. False when it was not said. */
export async function tell(message: Message, sentence: string): Promise<boolean> {
  return quietly(() =>
    message.reply({
      content: sentence,
      allowedMentions: { parse: [], repliedUser: false },
      flags: MessageFlags.SuppressEmbeds,
      failIfNotExists: false,
    }),
  );
}

/** Says one sentence in a channel, in reply to a message by its id. */
export async function tellIn(channel: SendableChannels, replyTo: string, sentence: string): Promise<boolean> {
  const reference = /^\d+$/u.test(replyTo) && { reply: { messageReference: replyTo, failIfNotExists: false } };
  return quietly(() =>
    channel.send({
      content: sentence,
      allowedMentions: { parse: [], repliedUser: false },
      flags: MessageFlags.SuppressEmbeds,
      ...reference,
    }),
  );
}

/** Marks a message with a reaction of the bot. */
export async function react(message: Message, emoji: string): Promise<boolean> {
  return quietly(() => message.react(emoji));
}

/** Takes a reaction of the bot away. */
export async function unreact(
  message: Pick<Message, 'client' | 'channelId'>,
  id: string,
  emoji: string,
): Promise<boolean> {
  const route = Routes.channelMessageOwnReaction(message.channelId, id, encodeURIComponent(emoji));
  return quietly(() => message.client.rest.delete(route));
}

async function quietly(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (asDeliveryError(error) instanceof DeliveryError) return false;
    throw error;
  }
}
