import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import { timeOf } from './clock.js';
import { MESSAGE } from './constants.js';
import type { Core } from './core.js';
import { type FakeChannel, type FakeUser, isThread } from './entities.js';
import { threadChanged } from './gateway/guild-events.js';
import { messageChanged, messagesDeleted } from './gateway/message-events.js';
import type { StoredMessage } from './history.js';
import { mentionFields, type Pings } from './mentions.js';
import { userJson } from './render.js';

/** A message to be made. What is not given is empty. */
export type MessageDraft = {
  author: FakeUser;
  content: string;
  pings: Pings;
  at?: number | undefined;
  type?: number | undefined;
  flags?: number | undefined;
  embeds?: APIEmbed[] | undefined;
  components?: APIMessage['components'] | undefined;
  attachments?: APIAttachment[] | undefined;
  stickers?: APIMessage['sticker_items'] | undefined;
  poll?: APIMessage['poll'] | undefined;
  reference?: APIMessage['message_reference'] | undefined;
  snapshots?: APIMessage['message_snapshots'] | undefined;
  nonce?: string | number | undefined;
  webhookId?: string | undefined;
  applicationId?: string | undefined;
  interaction?: APIMessage['interaction_metadata'] | undefined;
  tts?: boolean | undefined;
};

/** Makes a message without putting it anywhere. */
export function composeMessage(core: Core, channel: FakeChannel, draft: MessageDraft): StoredMessage {
  const id = core.snowflake(draft.at);
  const { userIds, roleIds, everyone } = mentionFields(core.world, draft.pings);
  const optional = {
    nonce: draft.nonce,
    webhook_id: draft.webhookId,
    application_id: draft.applicationId,
    interaction_metadata: draft.interaction,
    message_reference: draft.reference,
    message_snapshots: draft.snapshots,
    sticker_items: draft.stickers,
    poll: draft.poll,
  };
  return {
    id,
    channel_id: channel.id,
    author: userJson(draft.author),
    content: draft.content,
    timestamp: new Date(timeOf(id)).toISOString(),
    edited_timestamp: null,
    tts: draft.tts ?? false,
    mention_everyone: everyone,
    mention_roles: roleIds,
    mentions: userIds.map((userId) => userJson(core.world.user({ id: userId }))),
    attachments: draft.attachments ?? [],
    embeds: draft.embeds ?? [],
    components: draft.components ?? [],
    pinned: false,
    type: draft.type ?? (draft.reference?.type === 0 ? MESSAGE.reply : MESSAGE.plain),
    flags: draft.flags ?? 0,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<APIMessage>),
  };
}

/** Puts a message into its channel and tells everybody; an archived thread is opened by it. */
export function postMessage(core: Core, channel: FakeChannel, draft: MessageDraft): StoredMessage {
  const message = composeMessage(core, channel, draft);
  if (isThread(channel)) {
    const reopened = channel.thread.archived;
    channel.thread.archived = false;
    channel.thread.memberIds.add(draft.author.id);
    if (reopened) threadChanged(core, 'UPDATE', channel);
  }
  core.world.history(channel.id).add(message);
  messageChanged(core, 'CREATE', channel, message);
  core.journal.changed();
  return message;
}

/** What an edit changes; what is not given stays. */
export type MessageChange = Partial<{
  content: string;
  embeds: StoredMessage['embeds'] | undefined;
  components: StoredMessage['components'] | undefined;
  attachments: StoredMessage['attachments'] | undefined;
  poll: StoredMessage['poll'] | undefined;
  flags: number;
  pings: Pings | undefined;
}>;

/** Changes a message in place; `silently` (an unfurl, flags) leaves the time of the last edit alone. */
export function changeMessage(core: Core, message: StoredMessage, change: MessageChange, silently = false): void {
  const { pings, ...fields } = change;
  Object.assign(message, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
  if (pings !== undefined) {
    const { userIds, roleIds, everyone } = mentionFields(core.world, pings);
    message.mentions = userIds.map((id) => userJson(core.world.user({ id })));
    message.mention_roles = roleIds;
    message.mention_everyone = everyone;
  }
  if (!silently) message.edited_timestamp = new Date(core.clock.now()).toISOString();
}

/** Changes a message of a channel and tells everybody. */
export function editMessage(
  core: Core,
  channel: FakeChannel,
  message: StoredMessage,
  change: MessageChange,
  silently = false,
) {
  changeMessage(core, message, change, silently);
  messageChanged(core, 'UPDATE', channel, message);
  core.journal.changed();
}

/** Takes messages out of a channel and tells everybody; ids that are not there are told all the same. */
export function deleteMessages(core: Core, channel: FakeChannel, ids: readonly string[], bulk: boolean): void {
  for (const id of ids) core.world.history(channel.id).remove(id);
  messagesDeleted(core, channel, ids, bulk);
  core.journal.changed();
}
