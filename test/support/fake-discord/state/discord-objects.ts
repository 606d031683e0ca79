import type { APIMessage, APIUser } from 'discord.js';
import { CHANNEL_TYPE, GATEWAY_LIMITED_FLAG, REFERENCE_TYPE } from '../shared/constants.js';
import { asObject, asObjects, type Json } from '../shared/json.js';
import type { Core } from './core.js';
import type { StoredMessage } from './message-history.js';
import {
  type FakeChannel,
  type FakeGuild,
  type FakeMember,
  type FakeRole,
  type FakeUser,
  isThread,
  type World,
} from './world.js';

/** Builds a message object, a copy, with the message it replies to, its reactions and the thread started from it. */
export function messageJson(world: World, message: StoredMessage, nested = false): APIMessage {
  const copy = structuredClone(message) as APIMessage;
  const { message_id: targetId, type } = message.message_reference ?? {};
  if (!nested && targetId !== undefined && type !== REFERENCE_TYPE.forward) {
    const target = world.findMessage(targetId)?.message;
    copy.referenced_message = target === undefined ? null : messageJson(world, target, true);
  }
  const reactions = reactionsJson(world, message.id);
  if (reactions.length > 0) copy.reactions = reactions;
  const thread = world.channels.get(message.id);
  if (thread !== undefined && isThread(thread)) copy.thread = channelJson(world, thread) as never;
  return copy;
}

/** Builds a partial emoji object from a character or `name:id`. */
export function emojiJson(emoji: string): { id: string | null; name: string } {
  const [, name, id] = /^(.+):(\d+)$/.exec(emoji) ?? [];
  return id === undefined || name === undefined ? { id: null, name: emoji } : { id, name };
}

function reactionsJson(world: World, messageId: string) {
  return [...(world.reactions.get(messageId) ?? [])]
    .filter(([, users]) => users.size > 0)
    .map(([emoji, users]) => ({
      emoji: emojiJson(emoji),
      count: users.size,
      count_details: { normal: users.size, burst: 0 },
      me: users.has(world.bot.id),
      me_burst: false,
      burst_colors: [],
    }));
}

const NO_FLAGS = 0 as NonNullable<APIUser['flags']>;

/** Builds a user object. */
export function userJson(user: FakeUser): APIUser {
  return {
    id: user.id,
    username: user.name,
    discriminator: user.bot ? '0042' : '0',
    global_name: user.globalName,
    avatar: null,
    banner: null,
    accent_color: null,
    bot: user.bot,
    flags: NO_FLAGS,
    public_flags: NO_FLAGS,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
  };
}

/** Builds a guild member object without its user. */
export function memberJson(member: FakeMember) {
  return {
    avatar: null,
    banner: null,
    communication_disabled_until: null,
    flags: 0,
    joined_at: new Date(member.joinedAt).toISOString(),
    nick: member.nick,
    pending: false,
    premium_since: null,
    roles: [...member.roleIds],
    mute: false,
    deaf: false,
  };
}

/** Builds a role object. */
export function roleJson(role: FakeRole) {
  return {
    id: role.id,
    name: role.name,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: 0,
  };
}

/** Builds a channel object, also for threads and direct messages. */
export function channelJson(world: World, channel: FakeChannel) {
  const lastMessageId = world.history(channel.id).all().at(-1)?.id ?? null;
  const common = { id: channel.id, type: channel.type, flags: 0, last_message_id: lastMessageId };
  if (channel.guildId === null) {
    const recipient = world.users.get(channel.recipientId ?? '');
    return { ...common, recipients: recipient === undefined ? [] : [userJson(recipient)] };
  }
  const inGuild = { ...common, guild_id: channel.guildId, name: channel.name, parent_id: channel.parentId };
  if (isThread(channel)) return { ...inGuild, ...threadJson(world, channel) };
  return {
    ...inGuild,
    topic: channel.topic,
    nsfw: false,
    position: channel.position,
    rate_limit_per_user: 0,
    permission_overwrites: channel.overwrites.map(({ id, type, allow, deny }) => {
      return { id, type, allow: String(allow), deny: String(deny) };
    }),
    ...(channel.type === CHANNEL_TYPE.forum || channel.type === CHANNEL_TYPE.media ? { available_tags: [] } : {}),
  };
}

function threadJson(world: World, channel: FakeChannel & { thread: NonNullable<FakeChannel['thread']> }) {
  const { thread } = channel;
  const count = world.history(channel.id).all().length;
  const membership = { id: channel.id, user_id: world.bot.id, flags: 0 };
  return {
    owner_id: thread.ownerId,
    rate_limit_per_user: 0,
    message_count: count,
    total_message_sent: count,
    member_count: thread.memberIds.size,
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: new Date(thread.createdAt).toISOString(),
      create_timestamp: new Date(thread.createdAt).toISOString(),
      ...(channel.type === CHANNEL_TYPE.privateThread ? { invitable: true } : {}),
    },
    ...(thread.memberIds.has(world.bot.id)
      ? { member: { ...membership, join_timestamp: new Date(thread.createdAt).toISOString() } }
      : {}),
  };
}

/** Builds a guild object as REST returns it, without what GUILD_CREATE adds. */
export function guildJson(guild: FakeGuild) {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    preferred_locale: guild.locale,
    roles: [...guild.roles.values()].map(roleJson),
    emojis: [],
    stickers: [],
    features: [],
    icon: null,
    banner: null,
    splash: null,
    discovery_splash: null,
    description: null,
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    application_id: null,
    region: 'deprecated',
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw: false,
    nsfw_level: 0,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
  };
}

/** Returns the application's flags, one for each granted privileged intent. */
export function applicationFlags(core: Core): number {
  return [...core.world.grantedIntents].reduce((flags, name) => flags | GATEWAY_LIMITED_FLAG[name], 0);
}

/** Lists components and all components nested in them. */
export function flattenComponents(components: readonly Json[]): Json[] {
  return components.flatMap((component) => {
    const inner = [...asObjects(component.components), ...[component.accessory, component.component].map(asObject)];
    return [component, ...flattenComponents(inner.filter(({ type }) => type !== undefined))];
  });
}

/**
 * Removes what an app without the message content intent does not receive: text, embeds, attachments, components and
 * poll. Exempt are the app's own messages, direct messages, and messages that mention the app (a reply with a
 * notification does).
 */
export function withoutContent(message: APIMessage, botId: string, isDirect: boolean): APIMessage {
  const referenced = message.referenced_message
    ? { referenced_message: withoutContent(message.referenced_message, botId, isDirect) }
    : {};
  if (isDirect || message.author.id === botId || message.mentions.some(({ id }) => id === botId)) {
    return { ...message, ...referenced };
  }
  const { poll: _poll, ...rest } = message;
  const snapshots = message.message_snapshots?.map(({ message: { timestamp, edited_timestamp, type } }) => ({
    message: {
      timestamp,
      edited_timestamp,
      type,
      content: '',
      attachments: [],
      embeds: [],
      mentions: [],
      mention_roles: [],
    },
  }));
  return {
    ...rest,
    ...referenced,
    content: '',
    embeds: [],
    attachments: [],
    components: [],
    ...(snapshots === undefined
      ? {}
      : { message_snapshots: snapshots as NonNullable<APIMessage['message_snapshots']> }),
  };
}
