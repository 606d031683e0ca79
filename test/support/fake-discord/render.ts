import type { APIUser } from 'discord.js';
import { CHANNEL } from './constants.js';
import { type FakeChannel, type FakeMember, type FakeRole, type FakeUser, isThread } from './entities.js';
import type { World } from './world.js';

const NO_FLAGS = 0 as NonNullable<APIUser['flags']>;

/** A user in Discord's JSON. */
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

/** A member in Discord's JSON, without the user. */
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

/** A role in Discord's JSON. */
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

/** A channel, thread or direct message in Discord's JSON. */
export function channelJson(world: World, channel: FakeChannel) {
  const last = world.history(channel.id).all().at(-1)?.id ?? null;
  const common = { id: channel.id, type: channel.type, flags: 0, last_message_id: last };
  if (channel.guildId === null) {
    const other = world.users.get(channel.recipientId ?? '');
    return { ...common, recipients: other === undefined ? [] : [userJson(other)] };
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
    ...(channel.type === CHANNEL.forum || channel.type === CHANNEL.media ? { available_tags: [] } : {}),
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
      ...(channel.type === CHANNEL.privateThread ? { invitable: true } : {}),
    },
    ...(thread.memberIds.has(world.bot.id)
      ? { member: { ...membership, join_timestamp: new Date(thread.createdAt).toISOString() } }
      : {}),
  };
}
