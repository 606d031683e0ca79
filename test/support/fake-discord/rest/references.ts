import type { APIMessage } from 'discord.js';
import { invalidForm, refuse } from '../api-error.js';
import { MESSAGE, REFERENCE } from '../constants.js';
import type { Core } from '../core.js';
import type { FakeChannel } from '../entities.js';
import type { StoredMessage } from '../history.js';
import { asNumber, asObject } from '../json.js';
import { botCan } from './access.js';

/** What a new message points to: a reply's target, or a forwarded text. */
export type Reference = {
  reference?: NonNullable<APIMessage['message_reference']>;
  snapshots?: NonNullable<APIMessage['message_snapshots']>;
  target?: StoredMessage;
};

/** Default, reply, chat input command and context menu command. */
const REPLYABLE_TYPES: number[] = [MESSAGE.plain, MESSAGE.reply, MESSAGE.chatCommand, MESSAGE.contextCommand];

/** Reads `message_reference`. @throws {ApiError} 160002 without the right, 50035 for unknown or system messages. */
export function readReference(core: Core, channel: FakeChannel, value: unknown): Reference {
  if (value === undefined || value === null) return {};
  const { message_id: id, channel_id: from, type, fail_if_not_exists: strict } = asObject(value);
  const forward = asNumber(type) === REFERENCE.forward;
  const source = core.world.channels.get(forward && from ? String(from) : channel.id) ?? channel;
  if (!botCan(core, source, 'ReadMessageHistory')) throw refuse('replyWithoutHistory');
  const target = core.world.history(source.id).find(String(id));
  if (target === undefined) {
    if (strict === false && !forward) return {};
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  }
  if (forward) return { ...forwardedMessage(source, target), target };
  if (!REPLYABLE_TYPES.includes(target.type)) {
    const text = 'Cannot reply to a system message';
    throw invalidForm('message_reference', 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', text);
  }
  return { reference: messageReference(channel, target.id, REFERENCE.reply), target };
}

/** The reference to a message of a channel: 0 a reply, 1 a forward. */
export function messageReference(channel: FakeChannel, messageId: string, type: 0 | 1) {
  const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
  return { type, channel_id: channel.id, message_id: messageId, ...guild };
}

/** A forwarded message: its text without its author. */
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
  return { reference: messageReference(source, target.id, REFERENCE.forward), snapshots: [{ message }] };
}
