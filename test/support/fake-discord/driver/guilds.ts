import { guildCreated, guildDeleted, memberChanged, roleChanged } from '../changes/events.js';
import type { Ref } from '../shared/clock.js';
import { EVERYONE_PERMISSIONS, type PermissionName, permissionBits } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import type { FakeGuild, FakeMember, FakeRole, FakeUser } from '../state/world.js';

/** A new guild; without `ownerId` an owner is created too. */
export type GuildDraft = {
  name?: string;
  ownerId?: string;
  locale?: string;
  /** Permissions of @everyone, instead of Discord's defaults. */
  everyone?: readonly PermissionName[];
  /** Permissions of the bot's managed role, beside those of @everyone. */
  botPermissions?: readonly PermissionName[];
};

/** A new membership, or additions to one. `permissions` are granted by a role of their own. */
export type MemberDraft = { nick?: string; roles?: readonly Ref[]; permissions?: readonly PermissionName[] };

/** Actions on users, guilds, members and roles. */
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
  /** Sets whether the user refuses direct messages of the bot (50007). */
  setRefusesDms(user: Ref, refuses: boolean): void;
};

/** Creates the actions on users, guilds, members and roles. */
export function createGuildActions(core: Core): GuildActions {
  const { world } = core;
  const actions: GuildActions = {
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
      const owner = ownerId ?? actions.addUser({ name: `owner_of_${name.toLowerCase().replace(/\W/g, '_')}` }).id;
      const guild = emptyGuild(core, name, owner, locale, permissionBits(everyone));
      world.guilds.set(guild.id, guild);
      const botRole = createRole(core, guild, world.bot.name, botPermissions, true);
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
      const role = Object.assign(createRole(core, guild, name, permissions, false), { mentionable });
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
      const existing = guild.members.get(id);
      const roleIds = roles.map((role) => role.id);
      if (permissions.length > 0)
        roleIds.push(actions.addRole(guild, { name: `permissions of ${id}`, permissions }).id);
      const joinedAt = existing?.joinedAt ?? core.clock.now();
      const member = {
        userId: id,
        nick: nick ?? existing?.nick ?? null,
        roleIds: [...(existing?.roleIds ?? []), ...roleIds],
        joinedAt,
      };
      guild.members.set(id, member);
      memberChanged(core, existing === undefined ? 'ADD' : 'UPDATE', guild, member);
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
  return actions;
}

function emptyGuild(core: Core, name: string, ownerId: string, locale: string, everyone: bigint): FakeGuild {
  const id = core.snowflake();
  const everyoneRole = {
    id,
    name: '@everyone',
    permissions: everyone,
    position: 0,
    mentionable: false,
    managed: false,
  };
  const roles = new Map<string, FakeRole>([[id, everyoneRole]]);
  return { id, name, ownerId, locale, joined: true, available: true, roles, members: new Map() };
}

function createRole(
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

/** Actions on the bot's membership in guilds, and outages of guilds. */
export type PresenceActions = {
  /** Removes the bot from a guild: GUILD_DELETE. */
  removeGuild(guild: Ref): void;
  /** Adds the bot again: GUILD_CREATE. */
  rejoinGuild(guild: Ref): void;
  /** Starts an outage: GUILD_DELETE with `unavailable`. */
  guildUnavailable(guild: Ref): void;
  /** Ends an outage: GUILD_CREATE. */
  guildBack(guild: Ref): void;
};

/** Creates the actions on the bot's membership, and outages. */
export function createPresenceActions(core: Core): PresenceActions {
  const change = (state: Partial<FakeGuild>, dispatch: (guild: FakeGuild) => void) => (ref: Ref) => {
    const guild = Object.assign(core.world.guild(ref), state);
    dispatch(guild);
    core.journal.changed();
  };
  return {
    removeGuild: change({ joined: false }, (guild) => guildDeleted(core, guild, false)),
    rejoinGuild: change({ joined: true }, (guild) => guildCreated(core, guild)),
    guildUnavailable: change({ available: false }, (guild) => guildDeleted(core, guild, true)),
    guildBack: change({ available: true }, (guild) => guildCreated(core, guild)),
  };
}
