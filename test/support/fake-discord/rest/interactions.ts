import {
  deleteInteractionMessage,
  editInteractionMessage,
  type LocatedMessage,
  locateMessage,
  postInteractionMessage,
} from '../changes/interactions.js';
import { CALLBACK_TYPE, INTERACTION_TYPE, MESSAGE_FLAG } from '../shared/constants.js';
import { asNumber, asObject, asObjects, type Json } from '../shared/json.js';
import { flattenComponents, messageJson } from '../state/discord-objects.js';
import { type MentionRules, NO_PINGS, WEBHOOK_DEFAULTS } from '../state/mentions.js';
import type { FakeChannel, InteractionRecord } from '../state/world.js';
import {
  between,
  botMentionRules,
  type Call,
  invalidForm,
  NO_CONTENT,
  noMoreThan,
  ok,
  type RestResponse,
  type Route,
  refuse,
} from './call.js';
import { readEdit, readNewMessage } from './message-form.js';

/** The first answer to an interaction. */
export const INTERACTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/interactions/:interaction/:token/callback',
    handle: createInteractionResponse,
    open: true,
  },
];

/** The bot as the speaker of an interaction's text: only users are mentioned when nothing is said. */
function interactionMentionRules(call: Call, channel: FakeChannel): MentionRules {
  return { ...botMentionRules(call.core, channel, null), defaults: WEBHOOK_DEFAULTS };
}

function createInteractionResponse(call: Call): RestResponse {
  const { core, params, form, query } = call;
  const record = core.interactions.get(params.interaction ?? '');
  if (record === undefined || record.token !== params.token) throw refuse('unknownInteraction');
  if (record.callback !== null) throw refuse('alreadyAnswered');
  if (core.clock.now() - record.startedAt > core.options.interactionMs) throw refuse('unknownInteraction');
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
  const {
    channelMessage: message,
    deferredChannelMessage: deferredMessage,
    deferredUpdateMessage: deferredUpdate,
    updateMessage: update,
    autocompleteResult: choices,
    modal,
  } = CALLBACK_TYPE;
  if (type === INTERACTION_TYPE.autocomplete) return [choices];
  const updates = sourceId === null ? [] : [deferredUpdate, update];
  return [message, deferredMessage, ...updates, ...(type === INTERACTION_TYPE.modalSubmit ? [] : [modal])];
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
  const place = locateMessage(core, channel, record.sourceId);
  if (place === undefined) throw refuse('unknownMessage');
  const { stickers: _, ...change } = readEdit(call, place.message, interactionMentionRules(call, channel), channel);
  entry.pings = change.pings;
  record.originalId = record.sourceId;
  editInteractionMessage(core, record, place, change);
}

function respondWithMessage(call: Call, record: InteractionRecord, deferred: boolean): void {
  const { core, form, entry } = call;
  const channel = core.world.channel({ id: record.channelId });
  const flags = ((asNumber(form.flags) ?? 0) & MESSAGE_FLAG.ephemeral) | MESSAGE_FLAG.loading;
  const said = deferred
    ? { content: '', pings: NO_PINGS, flags }
    : readNewMessage(call, form, interactionMentionRules(call, channel), channel);
  if (!deferred) entry.pings = said.pings;
  record.waiting = deferred;
  record.ephemeral = (said.flags & MESSAGE_FLAG.ephemeral) !== 0;
  record.originalId = postInteractionMessage(core, record, channel, said, false).id;
}

function checkAutocompleteChoices(form: Json): void {
  const choices = asObjects(form.choices);
  noMoreThan('data.choices', choices, 25);
  for (const [at, { name, value }] of choices.entries()) {
    between(`data.choices.${at}.name`, name, 1, 100);
    if (typeof value === 'string') between(`data.choices.${at}.value`, value, 1, 100);
  }
}

function checkModal(form: Json): void {
  between('data.title', form.title, 1, 45);
  between('data.custom_id', form.custom_id, 1, 100);
  const components = asObjects(form.components);
  if (components.length === 0) throw invalidForm('data.components', 'BASE_TYPE_REQUIRED', 'This field is required');
  noMoreThan('data.components', components, 5);
  for (const { type, custom_id: id } of flattenComponents(components))
    if (type === 4) between('data.components.custom_id', id, 1, 100);
}

function callbackResponse({ core }: Call, record: InteractionRecord) {
  const type = record.callback?.type ?? 0;
  const channel = core.world.channel({ id: record.channelId });
  const message = locateMessage(core, channel, record.originalId)?.message;
  const loading = record.waiting;
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
            response_message_loading: loading,
            response_message_ephemeral: record.ephemeral,
          }),
    },
    resource: { type, ...(message === undefined ? {} : { message: messageJson(core.world, message) }) },
  };
}

const WEBHOOK_MESSAGE = '/webhooks/:application/:token/messages/:message';

/** What follows an interaction's first answer: @original and follow-ups, for as long as the token lives. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  { method: 'POST', pattern: '/webhooks/:application/:token', handle: createFollowup, open: true },
  { method: 'GET', pattern: WEBHOOK_MESSAGE, handle: getWebhookMessage, open: true },
  { method: 'PATCH', pattern: WEBHOOK_MESSAGE, handle: patchWebhookMessage, open: true },
  { method: 'DELETE', pattern: WEBHOOK_MESSAGE, handle: deleteWebhookMessage, open: true },
];

type InteractionContext = { record: InteractionRecord; channel: FakeChannel };

function interactionOf({ core, params }: Call): InteractionContext {
  const record = [...core.interactions.values()].find(({ token }) => token === params.token);
  if (record === undefined || params.application !== core.world.applicationId) throw refuse('unknownWebhook');
  if (core.clock.now() - record.startedAt > core.options.interactionTokenMs) throw refuse('invalidToken');
  if (record.callback === null) throw refuse('unknownWebhook');
  const channel = core.world.channels.get(record.channelId);
  if (channel === undefined) throw refuse('unknownChannel');
  return { record, channel };
}

function interactionMessageOf(call: Call, { record, channel }: InteractionContext): LocatedMessage {
  const wanted = call.params.message === '@original' ? record.originalId : (call.params.message ?? null);
  const mine = wanted === record.originalId || record.followUpIds.includes(wanted ?? '');
  const place = mine ? locateMessage(call.core, channel, wanted) : undefined;
  if (place === undefined) throw refuse('unknownMessage');
  return place;
}

function createFollowup(call: Call): RestResponse {
  const { core, form, entry } = call;
  const context = interactionOf(call);
  const { record, channel } = context;
  const fills = record.waiting && locateMessage(core, channel, record.originalId) !== undefined;
  if (fills) return patchWebhookMessage({ ...call, params: { ...call.params, message: '@original' } });
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
  const place = interactionMessageOf(call, context);
  const { stickers: _, ...change } = readEdit(
    call,
    place.message,
    interactionMentionRules(call, context.channel),
    context.channel,
  );
  entry.pings = change.pings;
  const kept = (place.message.flags ?? 0) & MESSAGE_FLAG.ephemeral;
  editInteractionMessage(core, context.record, place, {
    ...change,
    flags: (change.flags & ~MESSAGE_FLAG.ephemeral) | kept,
  });
  return ok(messageJson(core.world, place.message));
}

function deleteWebhookMessage(call: Call): RestResponse {
  deleteInteractionMessage(call.core, interactionMessageOf(call, interactionOf(call)));
  return NO_CONTENT;
}
