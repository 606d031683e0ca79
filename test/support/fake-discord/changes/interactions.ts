import type { APIMessage } from 'discord.js';
import {
  CALLBACK_TYPE,
  CHANNEL_TYPE,
  INTERACTION_TYPE,
  MESSAGE_FLAG,
  MESSAGE_TYPE,
  REFERENCE_TYPE,
} from '../shared/constants.js';
import type { Json } from '../shared/json.js';
import { type PermissionName, permissionBits } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import { channelJson, memberJson, userJson } from '../state/discord-objects.js';
import type { StoredMessage } from '../state/message-history.js';
import type { FakeChannel, FakeUser, InteractionRecord } from '../state/world.js';
import { ephemeralCreated, publish } from './events.js';
import {
  changeMessage,
  composeMessage,
  deleteMessages,
  editMessage,
  type MessageChange,
  type MessageDraft,
  messageReference,
  postMessage,
} from './messages.js';

/** Optional properties of an interaction. */
export type InteractionExtras = {
  /** The user's language; en-US by default. */
  locale?: string;
  /** The user's permissions in the channel, instead of the computed ones. */
  permissions?: readonly PermissionName[];
  /** Sends it even if Discord would hide the command from this user here. */
  force?: boolean;
};

/** A new interaction; `name` is the command's name or the custom id. */
export type InteractionStart = {
  type: number;
  name: string;
  data: Json;
  sourceId?: string;
  /** Further fields of the payload beside `data`. */
  extra?: Json;
  extras: InteractionExtras;
};

/** Starts an interaction: stores it and dispatches INTERACTION_CREATE. */
export function startInteraction(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  start: InteractionStart,
): InteractionRecord {
  const id = core.snowflake();
  const record: InteractionRecord = {
    id,
    token: Buffer.from(`interaction:${id}:${'x'.repeat(64)}`).toString('base64url'),
    type: start.type,
    name: start.name,
    channelId: channel.id,
    guildId: channel.guildId,
    userId: user.id,
    startedAt: core.clock.now(),
    callback: null,
    ephemeral: false,
    originalId: null,
    waiting: false,
    sourceId: start.sourceId ?? null,
    ephemeralMessages: new Map(),
    followUpIds: [],
    edits: 0,
  };
  core.interactions.set(id, record);
  const d = { ...interactionJson(core, record, user, channel, start.extras), data: start.data, ...start.extra };
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
  const memberOrUser =
    member === undefined
      ? { user: userJson(user) }
      : { member: { ...memberJson(member), user: userJson(user), permissions: String(permissions) } };
  const contextJson =
    guild === undefined
      ? { context: channel.type === CHANNEL_TYPE.dm ? 1 : 2, authorizing_integration_owners: { '1': user.id } }
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
    ...contextJson,
    ...memberOrUser,
    channel_id: channel.id,
    channel: { ...channelJson(world, channel), permissions: String(permissions) },
    app_permissions: String(world.permissionsIn(channel, world.bot.id)),
    locale: extras.locale ?? 'en-US',
    entitlements: [],
    entitlement_sku_ids: [],
    attachment_size_limit: core.options.maxFileBytes,
  };
}

/**
 * A message that an interaction may edit. `ephemeralOf` is its interaction if it is ephemeral; others are in the
 * channel's history.
 */
export type LocatedMessage = { message: StoredMessage; channel: FakeChannel; ephemeralOf: InteractionRecord | null };

/** Finds a message in the channel or among the ephemeral ones. */
export function locateMessage(core: Core, channel: FakeChannel, messageId: string | null): LocatedMessage | undefined {
  if (messageId === null) return undefined;
  const message = core.world.history(channel.id).find(messageId);
  if (message !== undefined) return { message, channel, ephemeralOf: null };
  for (const record of core.interactions.values()) {
    const ephemeral = record.ephemeralMessages.get(messageId);
    if (ephemeral !== undefined) return { message: ephemeral, channel, ephemeralOf: record };
  }
  return undefined;
}

/** Posts a response or follow-up into the channel, or as an ephemeral message. */
export function postInteractionMessage(
  core: Core,
  record: InteractionRecord,
  channel: FakeChannel,
  form: Pick<MessageDraft, 'content' | 'pings' | 'embeds' | 'components' | 'attachments' | 'poll'> & { flags: number },
  followUp: boolean,
): StoredMessage {
  const draft: MessageDraft = {
    ...form,
    author: core.world.bot,
    webhookId: core.world.applicationId,
    applicationId: core.world.applicationId,
    interaction: interactionMetadata(core, record),
    ...replyContext(core, record, channel, followUp),
  };
  if ((form.flags & MESSAGE_FLAG.ephemeral) === 0) return postMessage(core, channel, draft);
  const message = composeMessage(core, channel, draft);
  record.ephemeralMessages.set(message.id, message);
  ephemeralCreated(core, message);
  core.journal.changed();
  return message;
}

function replyContext(
  core: Core,
  record: InteractionRecord,
  channel: FakeChannel,
  followUp: boolean,
): Partial<MessageDraft> {
  const targetId = followUp ? record.originalId : record.sourceId;
  if (targetId === null || locateMessage(core, channel, targetId) === undefined)
    return { type: MESSAGE_TYPE.chatInputCommand };
  return { type: MESSAGE_TYPE.reply, reference: messageReference(channel, targetId, REFERENCE_TYPE.reply) };
}

function interactionMetadata(core: Core, record: InteractionRecord): APIMessage['interaction_metadata'] {
  const owners = record.guildId === null ? { '1': record.userId } : { '0': record.guildId };
  return {
    id: record.id,
    type: record.type,
    user: userJson(core.world.user({ id: record.userId })),
    authorizing_integration_owners: owners,
    ...(record.type === INTERACTION_TYPE.applicationCommand ? { name: record.name } : {}),
  } as unknown as APIMessage['interaction_metadata'];
}

/** Edits an interaction's message. The content that follows a deferral is no edit: no edited timestamp. */
export function editInteractionMessage(
  core: Core,
  record: InteractionRecord,
  located: LocatedMessage,
  change: MessageChange,
): void {
  const { message, channel, ephemeralOf } = located;
  const fillsDeferral =
    record.waiting &&
    record.callback?.type === CALLBACK_TYPE.deferredChannelMessage &&
    message.id === record.originalId;
  const shown = { ...change, flags: (change.flags ?? message.flags ?? 0) & ~MESSAGE_FLAG.loading };
  if (message.id === record.originalId) {
    record.waiting = false;
    if (!fillsDeferral) record.edits += 1;
  }
  if (ephemeralOf === null) editMessage(core, channel, message, shown, fillsDeferral);
  else changeMessage(core, message, shown, fillsDeferral);
  core.journal.changed();
}

/** Deletes an interaction's message. */
export function deleteInteractionMessage(core: Core, { message, channel, ephemeralOf }: LocatedMessage): void {
  if (ephemeralOf === null) deleteMessages(core, channel, [message.id], false);
  else ephemeralOf.ephemeralMessages.delete(message.id);
  core.journal.changed();
}
