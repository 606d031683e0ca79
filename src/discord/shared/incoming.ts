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

const LONGEST_NAME = 32;
const ROLE_WORDS = /^(?:system|assistant|user|developer|tool|keepsake)$/iu;

/**
 * A person's name as a prompt may carry it: one line, no control or bidi characters, nothing that reads like the end of a
 * name or a role of the chat format, at most 32 characters.
 */
function cleanName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replace(/[:：<>[\]]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const short = [...plain].slice(0, LONGEST_NAME).join('').trim();
  if (short === '') return 'someone';
  return ROLE_WORDS.test(short) ? `${short} (person)` : short;
}

/** The session of a channel, thread or direct message, by Discord's ids. */
export function discordSession(channelId: string, guildId: string | null, parentId: string | null = null): Session {
  return { id: `discord:${channelId}`, serverId: guildId, parentId: parentId === null ? null : `discord:${parentId}` };
}

/** Discord's channel id of a session, or null for sessions of other doors. */
export function channelIdOf(sessionId: string): string | null {
  return sessionId.startsWith('discord:') ? sessionId.slice('discord:'.length) : null;
}

/** Whether a message was written by a person who talks: not by a bot, a webhook, another server's feed or Discord itself. */
export function isHumanMessage(message: Message): boolean {
  const written = message.type === MessageType.Default || message.type === MessageType.Reply;
  const fed =
    message.webhookId !== null ||
    message.flags.has(MessageFlags.IsCrosspost) ||
    message.flags.has(MessageFlags.Ephemeral);
  return written && !fed && !message.author.bot && !message.author.system;
}

/** Whether Discord keeps a message's text from a bot without the Message Content intent: it does unless the bot is mentioned. */
export function isContentHidden(message: Message, messageContent: boolean): boolean {
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
function nameOf(message: Message): string {
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

/** The name under which somebody speaks where an interaction takes place: the server's nickname, else the display name. */
export function displayNameOf({ member, user }: Pick<BaseInteraction, 'member' | 'user'>): string {
  if (member instanceof GuildMember) return cleanName(member.displayName);
  return cleanName(member?.nick ?? user.displayName);
}

/** Where an interaction takes place. */
export type Place = {
  session: Session;
  /** Whether it is a thread, where other rights count. */
  thread: boolean;
};

/** Where an interaction takes place. @throws {Error} for interactions without a channel, which Discord does not send. */
export function placeOf(interaction: BaseInteraction): Place {
  const { channel, channelId, guildId } = interaction;
  if (channelId === null) throw new Error('an interaction came without its channel');
  const session = channel === null ? discordSession(channelId, guildId) : sessionOf(channel);
  return { session, thread: session.parentId !== null };
}
