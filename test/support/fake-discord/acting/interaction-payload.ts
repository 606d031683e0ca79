import type { APIApplicationCommand } from 'discord.js';
import { CHANNEL } from '../constants.js';
import type { Core } from '../core.js';
import type { FakeChannel, FakeUser } from '../entities.js';
import { publish } from '../gateway/publish.js';
import type { InteractionRecord } from '../interaction-record.js';
import type { Json } from '../json.js';
import { ALL_PERMISSIONS, allows, type PermissionName, permissionBits } from '../permissions.js';
import { channelJson, memberJson, userJson } from '../render.js';

/** What can be said about an interaction beside what the user does. */
export type InteractionExtras = {
  /** The user's language; en-US unless said otherwise. */
  locale?: string;
  /** The user's rights in the channel, in place of the computed ones. */
  permissions?: readonly PermissionName[];
  /** Sends it even if Discord would not offer it to this user here. */
  force?: boolean;
};

type InteractionStart = {
  type: number;
  name: string;
  data: Json;
  sourceId?: string;
  extra?: Json;
  extras: InteractionExtras;
};

/** Starts an interaction: records it and sends INTERACTION_CREATE. */
export function startInteraction(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  started: InteractionStart,
): InteractionRecord {
  const id = core.snowflake();
  const record: InteractionRecord = {
    id,
    token: Buffer.from(`interaction:${id}:${'x'.repeat(64)}`).toString('base64url'),
    type: started.type,
    name: started.name,
    channelId: channel.id,
    guildId: channel.guildId,
    userId: user.id,
    startedAt: core.clock.now(),
    callback: null,
    ephemeral: false,
    originalId: null,
    waiting: false,
    sourceId: started.sourceId ?? null,
    ephemeralMessages: new Map(),
    followUpIds: [],
    edits: 0,
  };
  core.interactions.set(id, record);
  const d = { ...interactionJson(core, record, user, channel, started.extras), data: started.data, ...started.extra };
  publish(core, { t: 'INTERACTION_CREATE', guildId: channel.guildId, intents: 0, d: () => d });
  return record;
}

function interactionJson(
  core: Core,
  record: InteractionRecord,
  user: FakeUser,
  channel: FakeChannel,
  extras: InteractionExtras,
) {
  const { world } = core;
  const guild = world.guilds.get(channel.guildId ?? '');
  const member = guild?.members.get(user.id);
  const permissions = extras.permissions ? permissionBits(extras.permissions) : world.permissionsIn(channel, user.id);
  const who =
    member === undefined
      ? { user: userJson(user) }
      : { member: { ...memberJson(member), user: userJson(user), permissions: String(permissions) } };
  const where =
    guild === undefined
      ? { context: channel.type === CHANNEL.dm ? 1 : 2, authorizing_integration_owners: { '1': user.id } }
      : {
          context: 0,
          guild_id: guild.id,
          guild: { id: guild.id, locale: guild.locale, features: [] },
          guild_locale: guild.locale,
          authorizing_integration_owners: { '0': guild.id },
        };
  return {
    id: record.id,
    application_id: world.applicationId,
    type: record.type,
    token: record.token,
    version: 1,
    ...where,
    ...who,
    channel_id: channel.id,
    channel: { ...channelJson(world, channel), permissions: String(permissions) },
    app_permissions: String(world.permissionsIn(channel, world.bot.id)),
    locale: extras.locale ?? 'en-US',
    entitlements: [],
    entitlement_sku_ids: [],
    attachment_size_limit: core.options.maxFileBytes,
  };
}

/** Finds a registered command as a user sees it. @throws when Discord would not offer it to this user here. */
export function offeredCommand(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  type: number,
  name: string,
  force: boolean,
) {
  const { world } = core;
  const guild = world.guilds.get(channel.guildId ?? '');
  const known = [...(world.commands.get(guild?.id ?? '') ?? []), ...(world.commands.get('global') ?? [])];
  const command = known.find((each) => each.name === name && Number(each.type) === type);
  if (command === undefined) {
    const names = known.map((each) => each.name).join(', ') || 'none';
    throw new Error(`no command ${name} is registered here (registered: ${names})`);
  }
  if (!force) checkOffered(core, user, channel, command);
  return command;
}

function checkOffered(core: Core, user: FakeUser, channel: FakeChannel, command: APIApplicationCommand): void {
  const { world } = core;
  const hidden = (why: string) => new Error(`Discord does not offer /${command.name} to ${user.name} here: ${why}`);
  const context = channel.guildId === null ? 1 : 0;
  const contexts = (command.contexts ?? null) as number[] | null;
  if (contexts !== null && !contexts.includes(context)) throw hidden(`contexts are ${contexts.join()}`);
  if (channel.guildId === null) return;
  const rights = world.permissionsIn(channel, user.id);
  if (!allows(rights, 'UseApplicationCommands')) throw hidden('no right to use commands or to see the channel');
  const needed = command.default_member_permissions;
  if (needed === null || needed === undefined || rights === ALL_PERMISSIONS) return;
  if (needed === '0' || (rights & BigInt(needed)) !== BigInt(needed)) throw hidden('default_member_permissions');
}
