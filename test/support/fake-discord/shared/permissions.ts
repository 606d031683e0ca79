/** Permission bits under the names of discord.js. */
const PERMISSION = {
  CreateInstantInvite: 1n << 0n,
  KickMembers: 1n << 1n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  ManageRoles: 1n << 28n,
  ManageWebhooks: 1n << 29n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
  SendPolls: 1n << 49n,
} as const;

/** The name of a permission. */
export type PermissionName = keyof typeof PERMISSION;

/** All permissions that the fake models. */
export const ALL_PERMISSIONS = permissionBits(Object.keys(PERMISSION) as PermissionName[]);

/** The permissions of @everyone in a new guild. */
export const EVERYONE_PERMISSIONS: readonly PermissionName[] = [
  'CreateInstantInvite',
  'AddReactions',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'UseExternalEmojis',
  'UseApplicationCommands',
  'CreatePublicThreads',
  'CreatePrivateThreads',
  'SendMessagesInThreads',
  'SendPolls',
];

/** A permission overwrite: what a channel allows or denies a role (type 0) or a member (type 1). */
export type Overwrite = { id: string; type: 0 | 1; allow: bigint; deny: bigint };

/** Returns the bit set of some permissions. */
export function permissionBits(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | PERMISSION[name], 0n);
}

/** Tests that all of the named permissions are among the bits. */
export function allows(bits: bigint, ...names: PermissionName[]): boolean {
  const wanted = permissionBits(names);
  return (bits & wanted) === wanted;
}

/** The member whose permissions are computed. */
export type PermissionHolder = { userId: string; roleIds: readonly string[]; guildId: string; ownerId: string };

/** Computes permissions in the guild: @everyone and the member's roles together; owner and administrators have all. */
export function basePermissions(holder: PermissionHolder, roleBits: (roleId: string) => bigint): bigint {
  if (holder.userId === holder.ownerId) return ALL_PERMISSIONS;
  const bits = [holder.guildId, ...holder.roleIds].reduce((sum, id) => sum | roleBits(id), 0n);
  return allows(bits, 'Administrator') ? ALL_PERMISSIONS : bits;
}

/** Applies a channel's overwrites in the documented order: @everyone, then all roles, then the member. */
export function channelPermissions(base: bigint, holder: PermissionHolder, overwrites: readonly Overwrite[]): bigint {
  if (base === ALL_PERMISSIONS) return base;
  const everyone = overwrites.filter(({ id }) => id === holder.guildId);
  const roles = overwrites.filter(({ id, type }) => type === 0 && holder.roleIds.includes(id));
  const own = overwrites.filter(({ id, type }) => type === 1 && id === holder.userId);
  const bits = [everyone, roles, own].reduce((sum, group) => {
    const deny = group.reduce((all, overwrite) => all | overwrite.deny, 0n);
    const allow = group.reduce((all, overwrite) => all | overwrite.allow, 0n);
    return (sum & ~deny) | allow;
  }, base);
  return allows(bits, 'ViewChannel') ? bits : 0n;
}
