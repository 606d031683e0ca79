import type { APIMessage } from 'discord.js';
import { INTENT } from '../constants.js';
import { withoutContent } from '../content.js';
import type { Core } from '../core.js';
import type { FakeChannel, FakeUser } from '../entities.js';
import type { StoredMessage } from '../history.js';
import { memberJson, userJson } from '../render.js';
import { messageJson } from '../render-message.js';
import { publish } from './publish.js';
import type { Session } from './sessions.js';

/** MESSAGE_CREATE or MESSAGE_UPDATE, without the text where the session lacks the intent for it. */
export function messageChanged(
  core: Core,
  change: 'CREATE' | 'UPDATE',
  channel: FakeChannel,
  message: StoredMessage,
): void {
  const whole = messageJson(core.world, message);
  publish(core, {
    t: `MESSAGE_${change}`,
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directMessages : INTENT.guildMessages,
    d: (session) => withGatewayFields(core, channel, visibleTo(core, session, channel, whole)),
  });
}

/** MESSAGE_CREATE of an ephemeral answer: it comes as a direct message would, without guild and member. */
export function ephemeralCreated(core: Core, message: StoredMessage): void {
  const d = messageJson(core.world, message);
  publish(core, { t: 'MESSAGE_CREATE', guildId: null, intents: INTENT.directMessages, d: () => d });
}

/** MESSAGE_DELETE, or MESSAGE_DELETE_BULK for several at once. */
export function messagesDeleted(core: Core, channel: FakeChannel, ids: readonly string[], bulk: boolean): void {
  const place = { channel_id: channel.id, ...(channel.guildId === null ? {} : { guild_id: channel.guildId }) };
  publish(core, {
    t: bulk ? 'MESSAGE_DELETE_BULK' : 'MESSAGE_DELETE',
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directMessages : INTENT.guildMessages,
    d: () => (bulk ? { ids, ...place } : { id: ids[0], ...place }),
  });
}

/** MESSAGE_REACTION_ADD or MESSAGE_REACTION_REMOVE. */
export function reactionChanged(
  core: Core,
  change: 'ADD' | 'REMOVE',
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: { id: string | null; name: string },
): void {
  const place = { channel_id: channel.id, ...(channel.guildId === null ? {} : { guild_id: channel.guildId }) };
  const d = { ...place, message_id: message.id, user_id: user.id, emoji, burst: false, type: 0 };
  const author = change === 'ADD' ? { message_author_id: message.author.id } : {};
  publish(core, {
    t: `MESSAGE_REACTION_${change}`,
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directReactions : INTENT.guildReactions,
    d: () => ({ ...d, ...author }),
  });
}

/** TYPING_START of somebody. */
export function typingStarted(core: Core, channel: FakeChannel, user: FakeUser): void {
  const place = { channel_id: channel.id, ...(channel.guildId === null ? {} : { guild_id: channel.guildId }) };
  publish(core, {
    t: 'TYPING_START',
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directTyping : INTENT.guildTyping,
    d: () => ({ ...place, user_id: user.id, timestamp: Math.floor(core.clock.now() / 1000) }),
  });
}

function visibleTo(core: Core, session: Session, channel: FakeChannel, message: APIMessage): APIMessage {
  if ((session.intents & INTENT.messageContent) !== 0) return message;
  return withoutContent(message, core.world.bot.id, channel.guildId === null);
}

/** The fields that only the gateway adds: guild, member, members of the mentioned, and the channel's type. */
function withGatewayFields(core: Core, channel: FakeChannel, message: APIMessage) {
  const guild = channel.guildId === null ? undefined : core.world.guilds.get(channel.guildId);
  if (guild === undefined) return { ...message, channel_type: channel.type };
  const author = guild.members.get(message.author.id);
  const mentions = message.mentions.map((user) => {
    const member = guild.members.get(user.id);
    return member === undefined ? user : { ...userJson(core.world.user(user)), member: memberJson(member) };
  });
  return {
    ...message,
    mentions,
    guild_id: guild.id,
    channel_type: channel.type,
    ...(author === undefined || message.webhook_id !== undefined ? {} : { member: memberJson(author) }),
  };
}
