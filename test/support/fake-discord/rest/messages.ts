import { addReaction, deleteMessages, editMessage, postMessage, removeReaction } from '../changes/messages.js';
import { snowflakeTime } from '../shared/clock.js';
import { MESSAGE_FLAG, REFERENCE_TYPE } from '../shared/constants.js';
import { asNumber, asString, asStrings } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { messageJson, userJson, withoutContent } from '../state/discord-objects.js';
import { NO_PINGS } from '../state/mentions.js';
import type { StoredMessage } from '../state/message-history.js';
import { type FakeChannel, isThread } from '../state/world.js';
import {
  apiError,
  botCan,
  botMentionRules,
  type Call,
  channelOf,
  invalidForm,
  messageOf,
  NO_CONTENT,
  ok,
  type RestResponse,
  type Route,
  requirePermissions,
  requirePostable,
} from './call.js';
import { readEdit, readNewMessage, readReference } from './message-form.js';

const MESSAGES = '/channels/:channel/messages';
const MESSAGE = `${MESSAGES}/:message`;

/** The endpoints of messages and reactions. */
export const MESSAGE_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: MESSAGES, handle: getMessages },
  { method: 'GET', pattern: MESSAGE, handle: getMessage },
  { method: 'POST', pattern: MESSAGES, handle: createMessage },
  { method: 'PATCH', pattern: MESSAGE, handle: patchMessage },
  { method: 'DELETE', pattern: MESSAGE, handle: deleteMessage },
  { method: 'POST', pattern: `${MESSAGES}/bulk-delete`, handle: bulkDeleteMessages },
  { method: 'PUT', pattern: `${MESSAGE}/reactions/:emoji/@me`, handle: createReaction },
  {
    method: 'DELETE',
    pattern: `${MESSAGE}/reactions/:emoji/@me`,
    handle: (call) => deleteReaction(call, call.core.world.bot.id),
  },
  {
    method: 'DELETE',
    pattern: `${MESSAGE}/reactions/:emoji/:user`,
    handle: (call) => deleteReaction(call, call.params.user ?? ''),
  },
  { method: 'GET', pattern: `${MESSAGE}/reactions/:emoji`, handle: getReactions },
];

const MAX_NONCE_LENGTH = 25;
/** Bulk delete takes no older messages. */
const MAX_BULK_DELETE_AGE_MS = 14 * 24 * 3600_000;

function getMessages(call: Call): RestResponse {
  const { core, query } = call;
  const channel = channelOf(call);
  const limit = query.limit === undefined ? 50 : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  }
  if (!botCan(core, channel, 'ReadMessageHistory')) return ok([]);
  const { before, after, around } = query;
  const page = { limit, ...(around ? { around } : before ? { before } : after ? { after } : {}) };
  return ok(
    core.world
      .history(channel.id)
      .page(page)
      .map((message) => visibleMessage(core, channel, message)),
  );
}

function getMessage(call: Call): RestResponse {
  const channel = channelOf(call);
  if (!botCan(call.core, channel, 'ReadMessageHistory')) throw apiError('missingAccess');
  return ok(visibleMessage(call.core, channel, messageOf(call, channel)));
}

/** Builds the message as the app may read it: without the message content intent REST hides the content too. */
function visibleMessage(core: Core, channel: FakeChannel, message: StoredMessage) {
  const whole = messageJson(core.world, message);
  if (core.world.grantedIntents.has('messageContent')) return whole;
  return withoutContent(whole, core.world.bot.id, channel.guildId === null);
}

function createMessage(call: Call): RestResponse {
  const { core, form, entry } = call;
  const channel = channelOf(call);
  requirePostable(call, channel);
  const { target, ...reference } = readReference(core, channel, form.message_reference);
  const repliedUserId = reference.reference?.type === REFERENCE_TYPE.reply ? (target?.author.id ?? null) : null;
  const rules = botMentionRules(core, channel, repliedUserId);
  const isForward = reference.snapshots !== undefined;
  const read = isForward ? forwardForm() : readNewMessage(call, form, rules, channel);
  if ((read.embeds?.length ?? 0) > 0) requirePermissions(call, channel, 'EmbedLinks');
  if ((read.attachments?.length ?? 0) > 0) requirePermissions(call, channel, 'AttachFiles');
  const nonce = readNonce(form.nonce);
  const postedId =
    form.enforce_nonce === true && nonce !== undefined ? core.nonces.find(core.world.bot.id, nonce) : undefined;
  const posted = postedId === undefined ? undefined : core.world.history(channel.id).find(postedId);
  if (posted !== undefined) return ok(messageJson(core.world, posted));
  entry.pings = read.pings;
  const draft = { author: core.world.bot, ...read, ...reference, nonce: form.nonce as string | undefined };
  const message = postMessage(core, channel, {
    ...draft,
    flags: read.flags & ~MESSAGE_FLAG.ephemeral,
    tts: form.tts === true,
  });
  if (nonce !== undefined) core.nonces.keep(core.world.bot.id, nonce, message.id);
  return ok(messageJson(core.world, message));
}

function forwardForm() {
  return { content: '', flags: MESSAGE_FLAG.hasSnapshot, pings: NO_PINGS, embeds: [], attachments: [] };
}

function readNonce(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const nonce = String(value);
  if (nonce.length > MAX_NONCE_LENGTH)
    throw invalidForm('nonce', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_NONCE_LENGTH} or fewer in length.`);
  return nonce;
}

function patchMessage(call: Call): RestResponse {
  const { core, form, entry } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (isThread(channel) && channel.thread.archived) throw apiError('threadArchived');
  if (message.author.id !== core.world.bot.id) return patchForeignMessage(call, channel, message);
  const repliedUserId = core.world.findMessage(message.message_reference?.message_id ?? '')?.message.author.id ?? null;
  const keepsMentions = asString(form.content) === undefined && form.allowed_mentions === undefined;
  const {
    pings,
    stickers: _,
    ...change
  } = readEdit(call, message, botMentionRules(core, channel, repliedUserId), channel);
  entry.pings = keepsMentions ? null : pings;
  editMessage(core, channel, message, { ...change, ...(keepsMentions ? {} : { pings }) });
  return ok(messageJson(core.world, message));
}

/** Of others' messages only the embeds can be suppressed. */
function patchForeignMessage(call: Call, channel: FakeChannel, message: StoredMessage): RestResponse {
  const { core, form } = call;
  const otherFields = Object.keys(form).filter((key) => key !== 'flags' && form[key] !== undefined);
  if (otherFields.length > 0) throw apiError('foreignMessage');
  requirePermissions(call, channel, 'ManageMessages');
  const suppress = (asNumber(form.flags) ?? 0) & MESSAGE_FLAG.suppressEmbeds;
  editMessage(
    core,
    channel,
    message,
    { flags: ((message.flags ?? 0) & ~MESSAGE_FLAG.suppressEmbeds) | suppress },
    true,
  );
  return ok(messageJson(core.world, message));
}

function deleteMessage(call: Call): RestResponse {
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (isThread(channel) && channel.thread.archived) throw apiError('threadArchived');
  if (message.author.id !== call.core.world.bot.id) {
    if (channel.guildId === null) throw apiError('systemMessage');
    requirePermissions(call, channel, 'ManageMessages');
  }
  deleteMessages(call.core, channel, [message.id], false);
  return NO_CONTENT;
}

function bulkDeleteMessages(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  requirePermissions(call, channel, 'ManageMessages');
  const ids = asStrings(form.messages);
  if (ids.length < 2 || ids.length > 100) throw apiError('bulkDeleteCount');
  if (new Set(ids).size < ids.length)
    throw invalidForm('messages', 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value');
  if (ids.some((id) => core.clock.now() - snowflakeTime(id) > MAX_BULK_DELETE_AGE_MS)) throw apiError('bulkDeleteAge');
  deleteMessages(core, channel, ids, true);
  return NO_CONTENT;
}

function createReaction(call: Call): RestResponse {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  const emoji = params.emoji ?? '';
  if (!botCan(core, channel, 'ReadMessageHistory')) throw apiError('missingPermissions');
  if (!/^(\p{Emoji}|.+:\d+$)/u.test(emoji)) throw apiError('unknownEmoji');
  const existing = core.world.reactions.get(message.id)?.get(emoji)?.size ?? 0;
  if (existing === 0) requirePermissions(call, channel, 'AddReactions');
  addReaction(core, channel, message, core.world.bot, emoji);
  return NO_CONTENT;
}

function deleteReaction(call: Call, userId: string): RestResponse {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (userId !== core.world.bot.id) requirePermissions(call, channel, 'ManageMessages');
  removeReaction(core, channel, message, core.world.user({ id: userId }), params.emoji ?? '');
  return NO_CONTENT;
}

function getReactions(call: Call): RestResponse {
  const { core, params } = call;
  const message = messageOf(call, channelOf(call));
  const users = core.world.reactions.get(message.id)?.get(params.emoji ?? '') ?? [];
  return ok([...users].map((id) => userJson(core.world.user({ id }))));
}
