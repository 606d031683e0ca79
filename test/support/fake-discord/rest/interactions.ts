import {
  deleteInteractionMessage,
  editInteractionMessage,
  type LocatedMessage,
  locateMessage,
  postInteractionMessage,
} from '../changes/interactions.js';
import { CALLBACK_TYPE, COMPONENT_TYPE, INTERACTION_TYPE, MESSAGE_FLAG } from '../shared/constants.js';
import { asNumber, asObject, asObjects, type Json } from '../shared/json.js';
import { flattenComponents, messageJson } from '../state/discord-objects.js';
import { type MentionRules, NO_PINGS, WEBHOOK_DEFAULTS } from '../state/mentions.js';
import type { FakeChannel, InteractionRecord } from '../state/world.js';
import {
  apiError,
  botMentionRules,
  type Call,
  checkLength,
  checkMaxCount,
  invalidForm,
  NO_CONTENT,
  ok,
  type RestResponse,
  type Route,
} from './call.js';
import { readEdit, readNewMessage } from './message-form.js';

const WEBHOOK_MESSAGE = '/webhooks/:application/:token/messages/:message';

/** The endpoints of interactions: the response, then `@original` and follow-ups for as long as the token is valid. */
export const INTERACTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/interactions/:interaction/:token/callback',
    handle: createInteractionResponse,
    withoutToken: true,
  },
  { method: 'POST', pattern: '/webhooks/:application/:token', handle: createFollowup, withoutToken: true },
  { method: 'GET', pattern: WEBHOOK_MESSAGE, handle: getWebhookMessage, withoutToken: true },
  { method: 'PATCH', pattern: WEBHOOK_MESSAGE, handle: patchWebhookMessage, withoutToken: true },
  { method: 'DELETE', pattern: WEBHOOK_MESSAGE, handle: deleteWebhookMessage, withoutToken: true },
];

function createInteractionResponse(call: Call): RestResponse {
  const { core, params, form, query } = call;
  const record = core.interactions.get(params.interaction ?? '');
  if (record === undefined || record.token !== params.token) throw apiError('unknownInteraction');
  if (record.callback !== null) throw apiError('alreadyAcknowledged');
  if (core.clock.now() - record.startedAt > core.options.interactionMs) throw apiError('unknownInteraction');
  const type = asNumber(form.type) ?? 0;
  const allowed = allowedCallbackTypes(record);
  if (!allowed.includes(type)) {
    throw invalidForm('type', 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
  }
  const data = asObject(form.data);
  applyCallback({ ...call, form: data }, record, type);
  record.callback = { type, at: core.clock.now(), data };
  core.journal.changed();
  return query.with_response === 'true' ? ok(callbackResponse(call, record)) : NO_CONTENT;
}

function allowedCallbackTypes({ type, sourceId }: InteractionRecord): number[] {
  if (type === INTERACTION_TYPE.autocomplete) return [CALLBACK_TYPE.autocompleteResult];
  const { channelMessage, deferredChannelMessage, deferredUpdateMessage, updateMessage, modal } = CALLBACK_TYPE;
  const updates = sourceId === null ? [] : [deferredUpdateMessage, updateMessage];
  const modals = type === INTERACTION_TYPE.modalSubmit ? [] : [modal];
  return [channelMessage, deferredChannelMessage, ...updates, ...modals];
}

function applyCallback(call: Call, record: InteractionRecord, type: number): void {
  if (type === CALLBACK_TYPE.autocompleteResult) checkAutocompleteChoices(call.form);
  else if (type === CALLBACK_TYPE.modal) checkModal(call.form);
  else if (type === CALLBACK_TYPE.deferredUpdateMessage) record.originalId = record.sourceId;
  else if (type === CALLBACK_TYPE.updateMessage) updateSourceMessage(call, record);
  else respondWithMessage(call, record, type === CALLBACK_TYPE.deferredChannelMessage);
}

function updateSourceMessage(call: Call, record: InteractionRecord): void {
  const { core, entry } = call;
  const channel = core.world.channel({ id: record.channelId });
  const located = locateMessage(core, channel, record.sourceId);
  if (located === undefined) throw apiError('unknownMessage');
  const { stickers: _, ...change } = readEdit(call, located.message, interactionMentionRules(call, channel), channel);
  entry.pings = change.pings;
  record.originalId = record.sourceId;
  editInteractionMessage(core, record, located, change);
}

function respondWithMessage(call: Call, record: InteractionRecord, deferred: boolean): void {
  const { core, form, entry } = call;
  const channel = core.world.channel({ id: record.channelId });
  const flags = ((asNumber(form.flags) ?? 0) & MESSAGE_FLAG.ephemeral) | MESSAGE_FLAG.loading;
  const message = deferred
    ? { content: '', pings: NO_PINGS, flags }
    : readNewMessage(call, form, interactionMentionRules(call, channel), channel);
  if (!deferred) entry.pings = message.pings;
  record.waiting = deferred;
  record.ephemeral = (message.flags & MESSAGE_FLAG.ephemeral) !== 0;
  record.originalId = postInteractionMessage(core, record, channel, message, false).id;
}

function checkAutocompleteChoices(form: Json): void {
  const choices = asObjects(form.choices);
  checkMaxCount('data.choices', choices, 25);
  for (const [at, { name, value }] of choices.entries()) {
    checkLength(`data.choices.${at}.name`, name, 1, 100);
    if (typeof value === 'string') checkLength(`data.choices.${at}.value`, value, 1, 100);
  }
}

function checkModal(form: Json): void {
  checkLength('data.title', form.title, 1, 45);
  checkLength('data.custom_id', form.custom_id, 1, 100);
  const components = asObjects(form.components);
  if (components.length === 0) throw invalidForm('data.components', 'BASE_TYPE_REQUIRED', 'This field is required');
  checkMaxCount('data.components', components, 5);
  for (const { type, custom_id: id } of flattenComponents(components))
    if (type === COMPONENT_TYPE.textInput) checkLength('data.components.custom_id', id, 1, 100);
}

function callbackResponse({ core }: Call, record: InteractionRecord) {
  const type = record.callback?.type ?? 0;
  const channel = core.world.channel({ id: record.channelId });
  const message = locateMessage(core, channel, record.originalId)?.message;
  return {
    interaction: {
      id: record.id,
      type: record.type,
      channel_id: record.channelId,
      ...(record.guildId === null ? {} : { guild_id: record.guildId }),
      ...(message === undefined
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: record.waiting,
            response_message_ephemeral: record.ephemeral,
          }),
    },
    resource: { type, ...(message === undefined ? {} : { message: messageJson(core.world, message) }) },
  };
}

type InteractionContext = { record: InteractionRecord; channel: FakeChannel };

/**
 * Returns the interaction of the path's token. @throws {ApiError} 10015 before the response, 50027 when the token has
 * expired.
 */
function interactionOf({ core, params }: Call): InteractionContext {
  const record = [...core.interactions.values()].find(({ token }) => token === params.token);
  if (record === undefined || params.application !== core.world.applicationId) throw apiError('unknownWebhook');
  if (core.clock.now() - record.startedAt > core.options.interactionTokenMs) throw apiError('invalidToken');
  if (record.callback === null) throw apiError('unknownWebhook');
  const channel = core.world.channels.get(record.channelId);
  if (channel === undefined) throw apiError('unknownChannel');
  return { record, channel };
}

function interactionMessageOf(call: Call, { record, channel }: InteractionContext): LocatedMessage {
  const id = call.params.message === '@original' ? record.originalId : (call.params.message ?? null);
  const isOwn = id === record.originalId || record.followUpIds.includes(id ?? '');
  const located = isOwn ? locateMessage(call.core, channel, id) : undefined;
  if (located === undefined) throw apiError('unknownMessage');
  return located;
}

/** The first follow-up of a deferred response becomes `@original`. */
function createFollowup(call: Call): RestResponse {
  const { core, form, entry } = call;
  const context = interactionOf(call);
  const { record, channel } = context;
  const fillsDeferral = record.waiting && locateMessage(core, channel, record.originalId) !== undefined;
  if (fillsDeferral) return patchWebhookMessage({ ...call, params: { ...call.params, message: '@original' } });
  const read = readNewMessage(call, form, interactionMentionRules(call, channel), channel);
  entry.pings = read.pings;
  const message = postInteractionMessage(core, record, channel, read, true);
  record.followUpIds.push(message.id);
  core.journal.changed();
  return ok(messageJson(core.world, message));
}

function getWebhookMessage(call: Call): RestResponse {
  return ok(messageJson(call.core.world, interactionMessageOf(call, interactionOf(call)).message));
}

function patchWebhookMessage(call: Call): RestResponse {
  const { core, entry } = call;
  const context = interactionOf(call);
  const located = interactionMessageOf(call, context);
  const { stickers: _, ...change } = readEdit(
    call,
    located.message,
    interactionMentionRules(call, context.channel),
    context.channel,
  );
  entry.pings = change.pings;
  const ephemeral = (located.message.flags ?? 0) & MESSAGE_FLAG.ephemeral;
  editInteractionMessage(core, context.record, located, {
    ...change,
    flags: (change.flags & ~MESSAGE_FLAG.ephemeral) | ephemeral,
  });
  return ok(messageJson(core.world, located.message));
}

function deleteWebhookMessage(call: Call): RestResponse {
  deleteInteractionMessage(call.core, interactionMessageOf(call, interactionOf(call)));
  return NO_CONTENT;
}

/** Without `allowed_mentions` messages of interactions notify only users. */
function interactionMentionRules(call: Call, channel: FakeChannel): MentionRules {
  return { ...botMentionRules(call.core, channel, null), defaults: WEBHOOK_DEFAULTS };
}
