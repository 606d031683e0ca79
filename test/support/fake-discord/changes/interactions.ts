import type { APIMessage } from 'discord.js';
import { CALLBACK_TYPE, CHANNEL_TYPE, INTERACTION_TYPE, MESSAGE_FLAG, MESSAGE_TYPE } from '../shared/constants.js';
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
  postMessage,
} from './messages.js';

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

/** Where an interaction's message is: in the channel, or with the user only. */
export type LocatedMessage = { message: StoredMessage; channel: FakeChannel; ephemeralOf: InteractionRecord | null };

/** Finds a message that an interaction may touch: its own, or the one whose component was used. */
export function locateMessage(core: Core, channel: FakeChannel, messageId: string | null): LocatedMessage | undefined {
  if (messageId === null) return undefined;
  const message = core.world.history(channel.id).find(messageId);
  if (message !== undefined) return { message, channel, ephemeralOf: null };
  for (const holder of core.interactions.values()) {
    const hidden = holder.ephemeralMessages.get(messageId);
    if (hidden !== undefined) return { message: hidden, channel, ephemeralOf: holder };
  }
  return undefined;
}

/** Puts an answer or follow-up where it belongs: into the channel, or before the user's eyes only. */
export function postInteractionMessage(
  core: Core,
  record: InteractionRecord,
  channel: FakeChannel,
  said: Pick<MessageDraft, 'content' | 'pings' | 'embeds' | 'components' | 'attachments' | 'poll'> & { flags: number },
  followUp: boolean,
): StoredMessage {
  const draft: MessageDraft = {
    ...said,
    author: core.world.bot,
    webhookId: core.world.applicationId,
    applicationId: core.world.applicationId,
    interaction: interactionMetadata(core, record),
    ...replyContext(core, record, channel, followUp),
  };
  if ((said.flags & MESSAGE_FLAG.ephemeral) === 0) return postMessage(core, channel, draft);
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
  const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
  return { type: MESSAGE_TYPE.reply, reference: { type: 0, channel_id: channel.id, message_id: targetId, ...guild } };
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

/** Changes an interaction's message; what fills a deferral is not an edit of it. */
export function editInteractionMessage(
  core: Core,
  record: InteractionRecord,
  place: LocatedMessage,
  change: MessageChange,
): void {
  const { message, channel, ephemeralOf: holder } = place;
  const fills =
    record.waiting &&
    record.callback?.type === CALLBACK_TYPE.deferredChannelMessage &&
    message.id === record.originalId;
  const whole = { ...change, flags: (change.flags ?? message.flags ?? 0) & ~MESSAGE_FLAG.loading };
  if (message.id === record.originalId) {
    record.waiting = false;
    if (!fills) record.edits += 1;
  }
  if (holder === null) editMessage(core, channel, message, whole, fills);
  else changeMessage(core, message, whole, fills);
  core.journal.changed();
}

/** Deletes an interaction's message. */
export function deleteInteractionMessage(core: Core, { message, channel, ephemeralOf: holder }: LocatedMessage): void {
  if (holder === null) deleteMessages(core, channel, [message.id], false);
  else holder.ephemeralMessages.delete(message.id);
  core.journal.changed();
}
