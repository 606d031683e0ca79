import type { Ref } from '../clock.js';
import type { Core } from '../core.js';
import type { FakeGuild, FakeMember, FakeRole, FakeUser } from '../entities.js';
import { guildCreated, memberChanged, roleChanged } from '../gateway/guild-events.js';
import { EVERYONE_PERMISSIONS, type PermissionName, permissionBits } from '../permissions.js';

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
