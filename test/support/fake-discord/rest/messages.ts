import { invalidForm, refuse } from '../api-error.js';
import { FLAG } from '../constants.js';
import { withoutContent } from '../content.js';
import type { Core } from '../core.js';
import { type FakeChannel, isThread } from '../entities.js';
import type { StoredMessage } from '../history.js';
import { asNumber, asString } from '../json.js';
import { NO_PINGS } from '../mentions.js';
import { editMessage, postMessage } from '../messages.js';
import { messageJson } from '../render-message.js';
import { botCan, botMentionRules, channelOf, messageOf, requirePermissions, requirePostable } from './access.js';
import { type Call, ok, type RestResponse, type Route } from './call.js';
import { readEdit, readNewMessage } from './message-form.js';
import { readReference } from './references.js';

/** Reading, sending and editing messages. */
export const MESSAGE_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/channels/:channel/messages', handle: getMessages },
  { method: 'GET', pattern: '/channels/:channel/messages/:message', handle: getMessage },
  { method: 'POST', pattern: '/channels/:channel/messages', handle: createMessage },
  { method: 'PATCH', pattern: '/channels/:channel/messages/:message', handle: patchMessage },
];

/** A message as the app may read it: without the granted intent REST hides texts too. */
export function visibleMessage(core: Core, channel: FakeChannel, message: StoredMessage) {
  const whole = messageJson(core.world, message);
  if (core.world.granted.has('messageContent')) return whole;
  return withoutContent(whole, core.world.bot.id, channel.guildId === null);
}

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
  if (!botCan(call.core, channel, 'ReadMessageHistory')) throw refuse('missingAccess');
  return ok(visibleMessage(call.core, channel, messageOf(call, channel)));
}

function createMessage(call: Call): RestResponse {
  const { core, form, entry } = call;
  const channel = channelOf(call);
  requirePostable(call, channel);
  const { target, ...reference } = readReference(core, channel, form.message_reference);
  const replied = reference.reference?.type === 0 ? (target?.author.id ?? null) : null;
  const speaker = botMentionRules(core, channel, replied);
  const forward = reference.snapshots !== undefined;
  const read = forward ? forwardForm() : readNewMessage(call, form, speaker, channel);
  if ((read.embeds?.length ?? 0) > 0) requirePermissions(call, channel, 'EmbedLinks');
  if ((read.attachments?.length ?? 0) > 0) requirePermissions(call, channel, 'AttachFiles');
  const nonce = readNonce(form.nonce);
  const known =
    form.enforce_nonce === true && nonce !== undefined ? core.nonces.find(core.world.bot.id, nonce) : undefined;
  const before = known === undefined ? undefined : core.world.history(channel.id).find(known);
  if (before !== undefined) return ok(messageJson(core.world, before));
  entry.pings = read.pings;
  const draft = { author: core.world.bot, ...read, ...reference, nonce: form.nonce as string | undefined };
  const message = postMessage(core, channel, { ...draft, flags: read.flags & ~FLAG.ephemeral, tts: form.tts === true });
  if (nonce !== undefined) core.nonces.keep(core.world.bot.id, nonce, message.id);
  return ok(messageJson(core.world, message));
}

function forwardForm() {
  return { content: '', flags: FLAG.hasSnapshot, pings: NO_PINGS, embeds: [], attachments: [] };
}

function readNonce(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const nonce = String(value);
  if (nonce.length > 25) throw invalidForm('nonce', 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  return nonce;
}

function patchMessage(call: Call): RestResponse {
  const { core, form, entry } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (isThread(channel) && channel.thread.archived) throw refuse('archived');
  if (message.author.id !== core.world.bot.id) return patchForeignMessage(call, channel, message);
  const target = core.world.findMessage(message.message_reference?.message_id ?? '')?.message.author.id ?? null;
  const mentions = asString(form.content) === undefined && form.allowed_mentions === undefined;
  const { pings, stickers: _, ...change } = readEdit(call, message, botMentionRules(core, channel, target), channel);
  entry.pings = mentions ? null : pings;
  editMessage(core, channel, message, { ...change, ...(mentions ? {} : { pings }) });
  return ok(messageJson(core.world, message));
}

function patchForeignMessage(call: Call, channel: FakeChannel, message: StoredMessage): RestResponse {
  const { core, form } = call;
  const others = Object.keys(form).filter((key) => key !== 'flags' && form[key] !== undefined);
  if (others.length > 0) throw refuse('notYours');
  requirePermissions(call, channel, 'ManageMessages');
  const suppress = (asNumber(form.flags) ?? 0) & FLAG.suppressEmbeds;
  editMessage(core, channel, message, { flags: ((message.flags ?? 0) & ~FLAG.suppressEmbeds) | suppress }, true);
  return ok(messageJson(core.world, message));
}
