import { refuse } from '../api-error.js';
import { FLAG } from '../constants.js';
import type { FakeChannel } from '../entities.js';
import {
  deleteInteractionMessage,
  editInteractionMessage,
  type LocatedMessage,
  locateMessage,
  postInteractionMessage,
} from '../interaction-messages.js';
import type { InteractionRecord } from '../interaction-record.js';
import { messageJson } from '../render-message.js';
import { type Call, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';
import { interactionMentionRules } from './interactions.js';
import { readEdit, readNewMessage } from './message-form.js';

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
  const kept = (place.message.flags ?? 0) & FLAG.ephemeral;
  editInteractionMessage(core, context.record, place, { ...change, flags: (change.flags & ~FLAG.ephemeral) | kept });
  return ok(messageJson(core.world, place.message));
}

function deleteWebhookMessage(call: Call): RestResponse {
  deleteInteractionMessage(call.core, interactionMessageOf(call, interactionOf(call)));
  return NO_CONTENT;
}
