import { type Channel, ChannelType, type Message, MessageFlags, MessageType } from 'discord.js';
import type { Quote, UserMessage } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { cleanName } from './names.js';
import { NO_TEXT, renderContent } from './render-content.js';
import { discordSession } from './session.js';

/** Whether a message was written by a person who talks: not by a bot, a webhook, another server's feed or Discord itself. */
export function isTalk(message: Message): boolean {
  const written = message.type === MessageType.Default || message.type === MessageType.Reply;
  const fed =
    message.webhookId !== null ||
    message.flags.has(MessageFlags.IsCrosspost) ||
    message.flags.has(MessageFlags.Ephemeral);
  return written && !fed && !message.author.bot && !message.author.system;
}

/** Whether Discord keeps a message's text from a bot without the Message Content intent: it does unless the bot is mentioned. */
export function isHidden(message: Message, messageContent: boolean): boolean {
  return !messageContent && message.guildId !== null && !message.mentions.users.has(message.client.user.id);
}

/** The session that a channel, thread or direct message is. */
export function sessionOf(
  channel: Pick<Channel, 'id' | 'type'> & { guildId?: string | null; parentId?: string | null },
): Session {
  const threads = [ChannelType.PublicThread, ChannelType.PrivateThread, ChannelType.AnnouncementThread];
  const thread = threads.includes(channel.type as ChannelType.PublicThread);
  return discordSession(channel.id, channel.guildId ?? null, thread ? (channel.parentId ?? null) : null);
}

/** Whether the bot is meant by the message itself: a direct message, a mention of it, or a reply to it. */
export function isAddressed(message: Message<boolean>): boolean {
  const me = message.client.user.id;
  if (message.guildId === null) return true;
  return new RegExp(`<@!?${me}>`, 'u').test(message.content) || message.mentions.repliedUser?.id === me;
}

/** Translates a message into what the chatbot takes in; the text stands for all that the message carries. */
export function toUserMessage(message: Message, addressed: boolean): UserMessage {
  return {
    session: sessionOf(message.channel),
    platformId: message.id,
    authorId: message.author.id,
    authorName: nameOf(message),
    text: renderContent(message),
    quote: quoteOf(message),
    createdAt: message.createdTimestamp,
    addressed,
  };
}

/** The name that people see: of the server, else the display name. */
export function nameOf(message: Message): string {
  return cleanName(message.member?.displayName ?? message.author.displayName);
}

/** The message that a reply points to; replies to the bot need none, since its answers are remembered. */
function quoteOf(message: Message): Quote | null {
  const id = message.reference?.messageId;
  const target = id === undefined ? undefined : message.channel.messages.cache.get(id);
  if (target === undefined || message.type !== MessageType.Reply) return null;
  if (target.author.id === message.client.user.id) return null;
  const text = renderContent(target).slice(0, 1_000);
  if (text === NO_TEXT) return null;
  return { platformId: target.id, authorId: target.author.id, authorName: nameOf(target), text };
}
