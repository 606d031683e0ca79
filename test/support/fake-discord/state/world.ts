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

/** A user account, a person's or a bot's. */
export type FakeUser = { id: string; name: string; globalName: string | null; bot: boolean; refusesDms: boolean };

/** A role. The id of @everyone is its guild's. */
export type FakeRole = {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  mentionable: boolean;
  managed: boolean;
};

/** A user's membership in a guild. */
export type FakeMember = { userId: string; nick: string | null; roleIds: string[]; joinedAt: number };

/** A guild. `joined`: the bot is a member; `available`: not in an outage. */
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

/** The fields that only threads have. */
type FakeThread = {
  ownerId: string;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
  memberIds: Set<string>;
  createdAt: number;
};

/**
 * A channel, a thread or a direct message channel; in the latter `guildId` is null and `recipientId` the other user.
 */
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

/** An uploaded file. */
type StoredFile = {
  id: string;
  channelId: string;
  name: string;
  contentType: string | undefined;
  bytes: Buffer;
};

/** Tests for a thread of any type. */
export function isThread(channel: FakeChannel): channel is FakeChannel & { thread: FakeThread; parentId: string } {
  return channel.thread !== null;
}

/** The response to an interaction; `data` as the bot sent it. */
export type InteractionCallback = { type: number; at: number; data: Record<string, unknown> };

/** The state of an interaction: what the user did, and how the bot responded. */
export type InteractionRecord = {
  id: string;
  token: string;
  type: number;
  /** The command's name, or a component's or modal's custom id. */
  name: string;
  channelId: string;
  guildId: string | null;
  userId: string;
  startedAt: number;
  /** Null until the bot has responded. */
  callback: InteractionCallback | null;
  /** Set by the response; follow-ups do not change it. */
  ephemeral: boolean;
  /** The message behind `@original`. */
  originalId: string | null;
  /** The response was deferred, and its content has not followed yet. */
  waiting: boolean;
  /** The message whose component was used, for component interactions and modals that came from one. */
  sourceId: string | null;
  /** Its ephemeral messages by id; they are in no channel's history. */
  ephemeralMessages: Map<string, StoredMessage>;
  followUpIds: string[];
  /** How often `@original` was edited. */
  edits: number;
};

/** All entities by id. @throws from `user`, `guild` and `channel` for unknown ids: a mistake in the test. */
export type World = {
  bot: FakeUser;
  applicationId: string;
  grantedIntents: Set<PrivilegedIntent>;
  users: Map<string, FakeUser>;
  guilds: Map<string, FakeGuild>;
  channels: Map<string, FakeChannel>;
  files: Map<string, StoredFile>;
  /** User ids by message id and emoji (a character, or `name:id`). */
  reactions: Map<string, Map<string, Set<string>>>;
  /** Registered application commands by scope: `global` or a guild's id. */
  commands: Map<string, APIApplicationCommand[]>;
  user(ref: Ref): FakeUser;
  guild(ref: Ref): FakeGuild;
  channel(ref: Ref): FakeChannel;
  history(channelId: string): History;
  /** Finds a message in any channel. */
  findMessage(id: string): { channel: FakeChannel; message: StoredMessage } | undefined;
  /**
   * Computes a user's permissions in a channel: all in direct messages, none for who is not in the guild or the private
   * thread.
   */
  permissionsIn(channel: FakeChannel, userId: string): bigint;
  /** Computes a user's permissions in the guild; none for who is no member. */
  permissionsInGuild(guild: FakeGuild, userId: string): bigint;
};

/** Creates a world with the bot's user alone. */
export function createWorld(bot: FakeUser, applicationId: string, granted: readonly PrivilegedIntent[]): World {
  const users = new Map([[bot.id, bot]]);
  const guilds = new Map<string, FakeGuild>();
  const channels = new Map<string, FakeChannel>();
  const histories = new Map<string, History>();
  const channelIds = new Map<string, string>();
  const history = (channelId: string): History => {
    const existing = histories.get(channelId) ?? createHistory(channelId, channelIds);
    histories.set(channelId, existing);
    return existing;
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
      const channel = channels.get(channelIds.get(id) ?? '');
      const message = channel && history(channel.id).find(id);
      return channel && message && { channel, message };
    },
    permissionsInGuild,
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
