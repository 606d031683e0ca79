import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import { snowflakeTime } from '../shared/clock.js';
import { MESSAGE_TYPE, REFERENCE_TYPE } from '../shared/constants.js';
import type { Core } from '../state/core.js';
import { emojiJson, userJson } from '../state/discord-objects.js';
import { mentionFields, type Pings } from '../state/mentions.js';
import type { StoredMessage } from '../state/message-history.js';
import { type FakeChannel, type FakeUser, isThread } from '../state/world.js';
import { messageChanged, messagesDeleted, reactionChanged, threadChanged } from './events.js';

/** A new message. */
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

/** Builds a message without storing it. */
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
    timestamp: new Date(snowflakeTime(id)).toISOString(),
    edited_timestamp: null,
    tts: draft.tts ?? false,
    mention_everyone: everyone,
    mention_roles: roleIds,
    mentions: userIds.map((userId) => userJson(core.world.user({ id: userId }))),
    attachments: draft.attachments ?? [],
    embeds: draft.embeds ?? [],
    components: draft.components ?? [],
    pinned: false,
    type: draft.type ?? (draft.reference?.type === REFERENCE_TYPE.reply ? MESSAGE_TYPE.reply : MESSAGE_TYPE.default),
    flags: draft.flags ?? 0,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<APIMessage>),
  };
}

/** Posts a message; an archived thread is unarchived by it. */
export function postMessage(core: Core, channel: FakeChannel, draft: MessageDraft): StoredMessage {
  const message = composeMessage(core, channel, draft);
  if (isThread(channel)) {
    const wasArchived = channel.thread.archived;
    channel.thread.archived = false;
    channel.thread.memberIds.add(draft.author.id);
    if (wasArchived) threadChanged(core, 'UPDATE', channel);
  }
  core.world.history(channel.id).add(message);
  messageChanged(core, 'CREATE', channel, message);
  core.journal.changed();
  return message;
}

/** An edit; undefined fields stay as they are. */
export type MessageChange = Partial<{
  content: string;
  embeds: StoredMessage['embeds'] | undefined;
  components: StoredMessage['components'] | undefined;
  attachments: StoredMessage['attachments'] | undefined;
  poll: StoredMessage['poll'] | undefined;
  flags: number;
  pings: Pings | undefined;
}>;

/** Edits a stored message without an event; `silently` (link previews, flags) keeps the edited timestamp. */
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

/** Edits a message of a channel. */
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

/** Deletes messages; the event names unknown ids too. */
export function deleteMessages(core: Core, channel: FakeChannel, ids: readonly string[], bulk: boolean): void {
  for (const id of ids) core.world.history(channel.id).remove(id);
  messagesDeleted(core, channel, ids, bulk);
  core.journal.changed();
}

/** The message reference of a reply or forward, and the message that it refers to. */
export type Reference = {
  reference?: NonNullable<APIMessage['message_reference']>;
  snapshots?: NonNullable<APIMessage['message_snapshots']>;
  target?: StoredMessage;
};

/** Builds a message reference: 0 for a reply, 1 for a forward. */
export function messageReference(channel: FakeChannel, messageId: string, type: 0 | 1) {
  const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
  return { type, channel_id: channel.id, message_id: messageId, ...guild };
}

/** Builds the reference and snapshot of a forward; a snapshot has no author. */
export function forwardedMessage(source: FakeChannel, target: StoredMessage): Reference {
  const {
    content,
    timestamp,
    edited_timestamp,
    embeds,
    attachments,
    mentions,
    mention_roles,
    type,
    flags = 0,
  } = target;
  const message = { content, timestamp, edited_timestamp, embeds, attachments, mentions, mention_roles, type, flags };
  return { reference: messageReference(source, target.id, REFERENCE_TYPE.forward), snapshots: [{ message }] };
}

/** Adds a user's reaction, once. `emoji` is a character or `name:id`. */
export function addReaction(
  core: Core,
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: string,
): void {
  const { reactions } = core.world;
  const byEmoji = reactions.get(message.id) ?? new Map<string, Set<string>>();
  const users = byEmoji.get(emoji) ?? new Set<string>();
  reactions.set(message.id, byEmoji.set(emoji, users));
  if (users.has(user.id)) return;
  users.add(user.id);
  reactionChanged(core, 'ADD', channel, message, user, emojiJson(emoji));
  core.journal.changed();
}

/** Removes a user's reaction, if there is one. */
export function removeReaction(
  core: Core,
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: string,
): void {
  if (core.world.reactions.get(message.id)?.get(emoji)?.delete(user.id) !== true) return;
  reactionChanged(core, 'REMOVE', channel, message, user, emojiJson(emoji));
  core.journal.changed();
}

/** A file to attach. `width` and `height` are read from PNGs and can be given for other types. */
export type FileDraft = {
  name: string;
  bytes: Uint8Array;
  contentType?: string | undefined;
  description?: string | undefined;
  width?: number | undefined;
  height?: number | undefined;
  /** Seconds and waveform of a voice message. */
  durationSecs?: number | undefined;
};

const LINK_LIFETIME_MS = 24 * 3600_000;
const CONTENT_TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
  ogg: 'audio/ogg',
};

/**
 * Stores a file and builds its attachment object. The link leads to the REST server and expires after a day, as
 * Discord's do.
 */
export function storeFile(core: Core, channelId: string, file: FileDraft, ephemeral = false): APIAttachment {
  const id = core.snowflake();
  const name = file.name.replace(/\s/g, '_');
  const bytes = Buffer.from(file.bytes);
  const contentType = file.contentType || CONTENT_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''];
  core.world.files.set(id, { id, channelId, name, contentType, bytes });
  const expires = Math.floor((core.clock.now() + LINK_LIFETIME_MS) / 1000).toString(16);
  const url = `${core.urls.rest}/attachments/${channelId}/${id}/${encodeURIComponent(name)}?ex=${expires}&is=0&hm=0&`;
  const [width, height] = pngSize(bytes) ?? [file.width, file.height];
  return {
    id,
    filename: name,
    size: bytes.length,
    url,
    proxy_url: url,
    ...(contentType === undefined ? {} : { content_type: contentType }),
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(file.description === undefined ? {} : { description: file.description }),
    ...(file.durationSecs === undefined ? {} : { duration_secs: file.durationSecs, waveform: 'AAAA' }),
    ...(ephemeral ? { ephemeral: true } : {}),
  };
}

function pngSize(bytes: Buffer): [width: number, height: number] | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
