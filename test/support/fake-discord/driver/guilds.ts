import { changeThread, createThread, deleteChannel, openDm } from '../changes/channels.js';
import {
  channelChanged,
  guildCreated,
  guildDeleted,
  memberChanged,
  roleChanged,
  threadChanged,
} from '../changes/events.js';
import type { Ref } from '../shared/clock.js';
import { CHANNEL_TYPE, type ChannelTypeName } from '../shared/constants.js';
import { EVERYONE_PERMISSIONS, type PermissionName, permissionBits } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import type { FakeChannel, FakeGuild, FakeMember, FakeRole, FakeUser, World } from '../state/world.js';

/** A guild to be made. What is not given gets a sensible value; an owner is made when none is named. */
export type GuildDraft = {
  name?: string;
  ownerId?: string;
  locale?: string;
  /** Rights of @everyone in place of the usual ones. */
  everyone?: readonly PermissionName[];
  /** Rights of the bot's own role beside those of @everyone. */
  botPermissions?: readonly PermissionName[];
};

/** A membership to be made: a nickname, roles, and rights that come as a role of their own. */
export type MemberDraft = { nick?: string; roles?: readonly Ref[]; permissions?: readonly PermissionName[] };

/** Making and changing users, guilds, members and roles. */
export type GuildActions = {
  addUser(draft?: { name?: string; globalName?: string | null; bot?: boolean; refusesDms?: boolean }): FakeUser;
  addGuild(draft?: GuildDraft): FakeGuild;
  addRole(
    guild: Ref,
    draft: { name: string; permissions?: readonly PermissionName[]; mentionable?: boolean },
  ): FakeRole;
  setRolePermissions(guild: Ref, role: Ref, permissions: readonly PermissionName[]): void;
  addMember(guild: Ref, user: Ref, draft?: MemberDraft): FakeMember;
  removeMember(guild: Ref, user: Ref): void;
  /** Switches a user's direct messages on or off for the bot (50007). */
  setRefusesDms(user: Ref, refuses: boolean): void;
};

/** The acts on a core's guilds. */
export function createGuildActions(core: Core): GuildActions {
  const { world } = core;
  const acts: GuildActions = {
    addUser({ name = `user${world.users.size}`, globalName = null, bot = false, refusesDms = false } = {}) {
      const user = { id: core.snowflake(), name, globalName, bot, refusesDms };
      world.users.set(user.id, user);
      return user;
    },
    addGuild({
      name = 'Workshop',
      ownerId,
      locale = 'en-US',
      everyone = EVERYONE_PERMISSIONS,
      botPermissions = [],
    } = {}) {
      const owner = ownerId ?? acts.addUser({ name: `owner_of_${name.toLowerCase().replace(/\W/g, '_')}` }).id;
      const guild = emptyGuild(core, name, owner, locale, permissionBits(everyone));
      world.guilds.set(guild.id, guild);
      const botRole = makeRole(core, guild, world.bot.name, botPermissions, true);
      guild.members.set(owner, { userId: owner, nick: null, roleIds: [], joinedAt: core.clock.now() });
      guild.members.set(world.bot.id, {
        userId: world.bot.id,
        nick: null,
        roleIds: [botRole.id],
        joinedAt: core.clock.now(),
      });
      guildCreated(core, guild);
      return guild;
    },
    addRole(ref, { name, permissions = [], mentionable = false }) {
      const guild = world.guild(ref);
      const role = Object.assign(makeRole(core, guild, name, permissions, false), { mentionable });
      roleChanged(core, 'CREATE', guild, role);
      return role;
    },
    setRolePermissions(ref, { id }, permissions) {
      const guild = world.guild(ref);
      const role = guild.roles.get(id);
      if (role === undefined) throw new Error(`guild ${guild.name} has no role ${id}`);
      role.permissions = permissionBits(permissions);
      roleChanged(core, 'UPDATE', guild, role);
    },
    addMember(ref, { id }, { nick, roles = [], permissions = [] } = {}) {
      const guild = world.guild(ref);
      const known = guild.members.get(id);
      const roleIds = roles.map((role) => role.id);
      if (permissions.length > 0) roleIds.push(acts.addRole(guild, { name: `rights of ${id}`, permissions }).id);
      const joinedAt = known?.joinedAt ?? core.clock.now();
      const member = {
        userId: id,
        nick: nick ?? known?.nick ?? null,
        roleIds: [...(known?.roleIds ?? []), ...roleIds],
        joinedAt,
      };
      guild.members.set(id, member);
      memberChanged(core, known === undefined ? 'ADD' : 'UPDATE', guild, member);
      return member;
    },
    removeMember(ref, { id }) {
      const guild = world.guild(ref);
      const member = guild.members.get(id);
      if (member === undefined) return;
      guild.members.delete(id);
      memberChanged(core, 'REMOVE', guild, member);
    },
    setRefusesDms: (user, refuses) => void Object.assign(world.user(user), { refusesDms: refuses }),
  };
  return acts;
}

function emptyGuild(core: Core, name: string, ownerId: string, locale: string, everyone: bigint): FakeGuild {
  const id = core.snowflake();
  const base = { id, name: '@everyone', permissions: everyone, position: 0, mentionable: false, managed: false };
  const roles = new Map<string, FakeRole>([[id, base]]);
  return { id, name, ownerId, locale, joined: true, available: true, roles, members: new Map() };
}

function makeRole(
  core: Core,
  guild: FakeGuild,
  name: string,
  permissions: readonly PermissionName[],
  managed: boolean,
) {
  const bits = permissionBits(permissions);
  const role = {
    id: core.snowflake(),
    name,
    permissions: bits,
    position: guild.roles.size,
    mentionable: false,
    managed,
  };
  guild.roles.set(role.id, role);
  return role;
}

/** The bot's presence in guilds, and outages of them. */
export type PresenceActions = {
  /** The bot is thrown out. */
  removeGuild(guild: Ref): void;
  /** The bot is invited again. */
  rejoinGuild(guild: Ref): void;
  /** An outage: GUILD_DELETE with `unavailable`. */
  guildUnavailable(guild: Ref): void;
  /** The outage is over: GUILD_CREATE. */
  guildBack(guild: Ref): void;
};

/** The acts on whether a core's bot is in its guilds. */
export function createPresenceActions(core: Core): PresenceActions {
  const change = (state: Partial<FakeGuild>, tell: (guild: FakeGuild) => void) => (ref: Ref) => {
    const guild = Object.assign(core.world.guild(ref), state);
    tell(guild);
    core.journal.changed();
  };
  return {
    removeGuild: change({ joined: false }, (guild) => guildDeleted(core, guild, false)),
    rejoinGuild: change({ joined: true }, (guild) => guildCreated(core, guild)),
    guildUnavailable: change({ available: false }, (guild) => guildDeleted(core, guild, true)),
    guildBack: change({ available: true }, (guild) => guildCreated(core, guild)),
  };
}

/** Rights given or taken in one channel; `for` is a role, a user, or the guild (@everyone). */
export type OverwriteDraft = { for: Ref; allow?: readonly PermissionName[]; deny?: readonly PermissionName[] };

/** A channel to be made; a text channel called general unless said otherwise. */
export type ChannelDraft = {
  name?: string;
  type?: ChannelTypeName;
  parent?: Ref;
  topic?: string;
  overwrites?: readonly OverwriteDraft[];
};

/** A thread to be made; `from` is the message it hangs on. */
export type ThreadOptions = { name?: string; owner?: Ref; private?: boolean; from?: Ref; members?: readonly Ref[] };

/** Making and changing channels, threads and direct messages. */
export type ChannelActions = {
  addChannel(guild: Ref, draft?: ChannelDraft): FakeChannel;
  addThread(parent: Ref, draft?: ThreadOptions): FakeChannel;
  openDm(user: Ref): FakeChannel;
  /** Sets the rights of a role, a user or everyone in a channel, in place of those it had there. */
  setOverwrite(channel: Ref, overwrite: OverwriteDraft): void;
  /** Moves a channel under another category, or out of any. */
  moveChannel(channel: Ref, parent: Ref | null): void;
  archiveThread(thread: Ref, archived?: boolean): void;
  lockThread(thread: Ref, locked?: boolean): void;
  deleteChannel(channel: Ref): void;
  deleteThread(thread: Ref): void;
};

/** The acts on a core's channels. */
export function createChannelActions(core: Core): ChannelActions {
  const { world } = core;
  const remove = (ref: Ref) => deleteChannel(core, world.channel(ref));
  return {
    addChannel(guild, draft = {}) {
      const channel = newChannel(core, world.guild(guild).id, draft);
      world.channels.set(channel.id, channel);
      channelChanged(core, 'CREATE', channel);
      return channel;
    },
    addThread(ref, { name = 'thread', owner, private: hidden, from, members = [] } = {}) {
      const parent = world.channel(ref);
      const guild = world.guild({ id: parent.guildId ?? '' });
      const draft = { name, owner: world.user(owner ?? { id: guild.ownerId }), private: hidden };
      const message = from === undefined ? undefined : world.history(parent.id).find(from.id);
      const thread = createThread(core, parent, { ...draft, from: message });
      for (const member of members) thread.thread?.memberIds.add(member.id);
      if (hidden && members.some(({ id }) => id === world.bot.id)) threadChanged(core, 'CREATE', thread);
      return thread;
    },
    openDm: (user) => openDm(core, world.user(user)),
    setOverwrite(ref, draft) {
      const channel = world.channel(ref);
      channel.overwrites = [...channel.overwrites.filter(({ id }) => id !== draft.for.id), toOverwrite(world, draft)];
      channelChanged(core, 'UPDATE', channel);
    },
    moveChannel(ref, parent) {
      const channel = Object.assign(world.channel(ref), { parentId: parent?.id ?? null });
      channelChanged(core, 'UPDATE', channel);
    },
    archiveThread: (thread, archived = true) => changeThread(core, world.channel(thread), { archived }),
    lockThread: (thread, locked = true) => changeThread(core, world.channel(thread), { locked }),
    deleteChannel: remove,
    deleteThread: remove,
  };
}

function newChannel(core: Core, guildId: string, draft: ChannelDraft): FakeChannel {
  const { name = 'general', type = 'text', parent, topic = null, overwrites = [] } = draft;
  return {
    id: core.snowflake(),
    type: CHANNEL_TYPE[type],
    name,
    topic,
    guildId,
    parentId: parent?.id ?? null,
    recipientId: null,
    position: core.world.channels.size,
    overwrites: overwrites.map((each) => toOverwrite(core.world, each)),
    thread: null,
  };
}

function toOverwrite(world: World, { for: { id }, allow = [], deny = [] }: OverwriteDraft) {
  return {
    id,
    type: world.users.has(id) ? (1 as const) : (0 as const),
    allow: permissionBits(allow),
    deny: permissionBits(deny),
  };
}
