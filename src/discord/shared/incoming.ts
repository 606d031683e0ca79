import {
  type BaseInteraction,
  type Channel,
  ChannelType,
  GuildMember,
  type Message,
  MessageFlags,
  MessageType,
} from 'discord.js';
import type { Quote, UserMessage } from '../../conversation/message.js';
import type { Session } from '../../conversation/session.js';
import { NO_TEXT, renderContent } from './content.js';

const MAX_NAME_LENGTH = 32;
const ROLE_NAMES = /^(?:system|assistant|user|developer|tool|keepsake)$/iu;

/**
 * Cleans a person's name for prompts: one line, no control or bidi characters, nothing that reads like the end of a name
 * or a role of the chat format, at most 32 characters.
 */
function cleanName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replace(/[:：<>[\]]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const short = [...plain].slice(0, MAX_NAME_LENGTH).join('').trim();
  if (short === '') return 'someone';
  return ROLE_NAMES.test(short) ? `${short} (person)` : short;
}

/** Returns the session of a channel, thread or direct message by Discord's ids. */
export function discordSession(channelId: string, guildId: string | null, parentId: string | null = null): Session {
  return { id: `discord:${channelId}`, serverId: guildId, parentId: parentId === null ? null : `discord:${parentId}` };
}

/** Returns Discord's channel id of a session, or null for sessions of other platforms. */
export function channelIdOf(sessionId: string): string | null {
  return sessionId.startsWith('discord:') ? sessionId.slice('discord:'.length) : null;
}

/** Whether a person wrote a message: not a bot, a webhook, another server's feed or Discord itself. */
export function isHumanMessage(message: Message): boolean {
  const written = message.type === MessageType.Default || message.type === MessageType.Reply;
  const relayed =
    message.webhookId !== null ||
    message.flags.has(MessageFlags.IsCrosspost) ||
    message.flags.has(MessageFlags.Ephemeral);
  return written && !relayed && !message.author.bot && !message.author.system;
}

/** Whether Discord hides a message's text since the Message Content intent is missing: it does unless the bot is mentioned. */
export function isContentHidden(message: Message, messageContent: boolean): boolean {
  return !messageContent && message.guildId !== null && !message.mentions.users.has(message.client.user.id);
}

/** Returns the session of a channel, thread or direct message. */
export function sessionOf(
  channel: Pick<Channel, 'id' | 'type'> & { guildId?: string | null; parentId?: string | null },
): Session {
  const threads = [ChannelType.PublicThread, ChannelType.PrivateThread, ChannelType.AnnouncementThread];
  const thread = threads.includes(channel.type as ChannelType.PublicThread);
  return discordSession(channel.id, channel.guildId ?? null, thread ? (channel.parentId ?? null) : null);
}

/** Whether a message addresses the bot by itself: a direct message, a mention of it, or a reply to it. */
export function isAddressed(message: Message<boolean>): boolean {
  const me = message.client.user.id;
  if (message.guildId === null) return true;
  return new RegExp(`<@!?${me}>`, 'u').test(message.content) || message.mentions.repliedUser?.id === me;
}

/** Translates a message for the chatbot; the text stands for all that the message carries. */
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

/** The server's nickname, else the display name. */
function nameOf(message: Message): string {
  return cleanName(message.member?.displayName ?? message.author.displayName);
}

/** The message that a reply points to; the bot's own answers are stored anyway and are not quoted. */
function quoteOf(message: Message): Quote | null {
  const id = message.reference?.messageId;
  const target = id === undefined ? undefined : message.channel.messages.cache.get(id);
  if (target === undefined || message.type !== MessageType.Reply) return null;
  if (target.author.id === message.client.user.id) return null;
  const text = renderContent(target).slice(0, 1_000);
  if (text === NO_TEXT) return null;
  return { platformId: target.id, authorId: target.author.id, authorName: nameOf(target), text };
}

/** Returns the name under which the user of an interaction speaks: the server's nickname, else the display name. */
export function displayNameOf({ member, user }: Pick<BaseInteraction, 'member' | 'user'>): string {
  if (member instanceof GuildMember) return cleanName(member.displayName);
  return cleanName(member?.nick ?? user.displayName);
}

/** Where an interaction takes place. */
export type Place = {
  session: Session;
  /** In a thread other permissions count. */
  thread: boolean;
};

/** Returns where an interaction takes place. @throws {Error} for interactions without a channel, which Discord does not send. */
export function placeOf(interaction: BaseInteraction): Place {
  const { channel, channelId, guildId } = interaction;
  if (channelId === null) throw new Error('an interaction has no channel');
  const session = channel === null ? discordSession(channelId, guildId) : sessionOf(channel);
  return { session, thread: session.parentId !== null };
}
