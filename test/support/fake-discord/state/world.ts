import type { APIApplicationCommand } from 'discord.js';
import type { Ref } from '../shared/clock.js';
import { CHANNEL_TYPE, type PrivilegedIntent } from '../shared/constants.js';
import {
  ALL_PERMISSIONS,
  allows,
  basePermissions,
  channelPermissions,
  type Overwrite,
  type PermissionHolder,
} from '../shared/permissions.js';
import { createHistory, type History, type StoredMessage } from './message-history.js';

/** Somebody with an account. */
export type FakeUser = { id: string; name: string; globalName: string | null; bot: boolean; refusesDms: boolean };

/** A role; @everyone has its guild's id. */
export type FakeRole = {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  mentionable: boolean;
  managed: boolean;
};

/** A user's membership in one guild. */
export type FakeMember = { userId: string; nick: string | null; roleIds: string[]; joinedAt: number };

/** A server. `joined` says that the bot is in it, `available` that Discord can reach it. */
export type FakeGuild = {
  id: string;
  name: string;
  ownerId: string;
  locale: string;
  joined: boolean;
  available: boolean;
  roles: Map<string, FakeRole>;
  members: Map<string, FakeMember>;
};

/** What a thread has beyond a channel. */
type FakeThread = {
  ownerId: string;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
  memberIds: Set<string>;
  createdAt: number;
};

/** A channel, thread or direct message. `guildId` is null in direct messages, where `recipientId` is the other side. */
export type FakeChannel = {
  id: string;
  type: number;
  name: string;
  topic: string | null;
  guildId: string | null;
  parentId: string | null;
  recipientId: string | null;
  position: number;
  overwrites: Overwrite[];
  thread: FakeThread | null;
};

/** Bytes that somebody uploaded. */
type StoredFile = {
  id: string;
  channelId: string;
  name: string;
  contentType: string | undefined;
  bytes: Buffer;
};

/** Whether the channel is a thread of any kind. */
export function isThread(channel: FakeChannel): channel is FakeChannel & { thread: FakeThread; parentId: string } {
  return channel.thread !== null;
}

/** The first answer to an interaction. `data` is what the bot sent. */
export type InteractionCallback = { type: number; at: number; data: Record<string, unknown> };

/** Everything about one interaction: what the user did and what the bot made of it. */
export type InteractionRecord = {
  id: string;
  token: string;
  type: number;
  /** The command's name, or the custom id. */
  name: string;
  channelId: string;
  guildId: string | null;
  userId: string;
  startedAt: number;
  /** Null until the bot answered in time. */
  callback: InteractionCallback | null;
  /** Fixed by the first answer. */
  ephemeral: boolean;
  /** The message that @original stands for. */
  originalId: string | null;
  /** A deferral that no content has followed yet. */
  waiting: boolean;
  /** The message whose component was used. */
  sourceId: string | null;
  /** Messages only the user can see, by id. */
  ephemeralMessages: Map<string, StoredMessage>;
  followUpIds: string[];
  /** How often @original was edited. */
  edits: number;
};

/** Everything that exists, found by id. The lookups throw for ids that a test made up. */
export type World = {
  bot: FakeUser;
  applicationId: string;
  grantedIntents: Set<PrivilegedIntent>;
  users: Map<string, FakeUser>;
  guilds: Map<string, FakeGuild>;
  channels: Map<string, FakeChannel>;
  files: Map<string, StoredFile>;
  /** Who reacted, by message and emoji (a character, or `name:id`). */
  reactions: Map<string, Map<string, Set<string>>>;
  /** Registered commands by scope: `global` or a guild's id. */
  commands: Map<string, APIApplicationCommand[]>;
  user(ref: Ref): FakeUser;
  guild(ref: Ref): FakeGuild;
  channel(ref: Ref): FakeChannel;
  history(channelId: string): History;
  /** A message and the channel it is in, wherever that is. */
  findMessage(id: string): { channel: FakeChannel; message: StoredMessage } | undefined;
  /** What a user may do in a channel; all in direct messages, nothing outside of the guild or a private thread. */
  permissionsIn(channel: FakeChannel, userId: string): bigint;
  /** What a user may do in the whole guild; nothing when not a member. */
  permissionsInGuild(guild: FakeGuild, userId: string): bigint;
};

/** An empty world with only the bot in it. */
export function createWorld(bot: FakeUser, applicationId: string, granted: readonly PrivilegedIntent[]): World {
  const users = new Map([[bot.id, bot]]);
  const guilds = new Map<string, FakeGuild>();
  const channels = new Map<string, FakeChannel>();
  const histories = new Map<string, History>();
  const homes = new Map<string, string>();
  const history = (channelId: string): History => {
    const known = histories.get(channelId) ?? createHistory(channelId, homes);
    histories.set(channelId, known);
    return known;
  };
  return {
    bot,
    applicationId,
    grantedIntents: new Set(granted),
    users,
    guilds,
    channels,
    files: new Map(),
    reactions: new Map(),
    commands: new Map(),
    user: ({ id }) => orThrow(users.get(id), 'user', id),
    guild: ({ id }) => orThrow(guilds.get(id), 'guild', id),
    channel: ({ id }) => orThrow(channels.get(id), 'channel', id),
    history,
    findMessage(id) {
      const channel = channels.get(homes.get(id) ?? '');
      const message = channel && history(channel.id).find(id);
      return channel && message && { channel, message };
    },
    permissionsInGuild: (guild, userId) => permissionsInGuild(guild, userId),
    permissionsIn: (channel, userId) => permissionsIn(guilds, channels, channel, userId),
  };
}

function holderOf(guild: FakeGuild, userId: string): PermissionHolder | undefined {
  const member = guild.members.get(userId);
  return member && { userId, roleIds: member.roleIds, guildId: guild.id, ownerId: guild.ownerId };
}

function permissionsInGuild(guild: FakeGuild, userId: string): bigint {
  const holder = holderOf(guild, userId);
  return holder === undefined ? 0n : basePermissions(holder, (id) => guild.roles.get(id)?.permissions ?? 0n);
}

type ById<T> = ReadonlyMap<string, T>;

function permissionsIn(guilds: ById<FakeGuild>, channels: ById<FakeChannel>, channel: FakeChannel, userId: string) {
  if (channel.guildId === null) return ALL_PERMISSIONS;
  const guild = guilds.get(channel.guildId);
  const holder = guild && holderOf(guild, userId);
  if (guild === undefined || holder === undefined) return 0n;
  const parent = isThread(channel) ? channels.get(channel.parentId) : channel;
  const bits = channelPermissions(permissionsInGuild(guild, userId), holder, parent?.overwrites ?? []);
  const hidden = channel.type === CHANNEL_TYPE.privateThread && channel.thread?.memberIds.has(userId) === false;
  return hidden && !allows(bits, 'ManageThreads') ? 0n : bits;
}

function orThrow<T>(found: T | undefined, kind: string, id: string): T {
  if (found === undefined) throw new Error(`the fake Discord knows no ${kind} ${id}`);
  return found;
}
