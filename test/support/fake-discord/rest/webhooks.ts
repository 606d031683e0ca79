import { refuse } from '../api-error.js';
import { FLAG } from '../constants.js';
import type { FakeChannel } from '../entities.js';
import {
  changeForInteraction,
  type Located,
  locate,
  postForInteraction,
  removeForInteraction,
} from '../interaction-messages.js';
import type { InteractionRecord } from '../interaction-record.js';
import { messageJson } from '../render-message.js';
import { type Answer, type Call, NO_CONTENT, ok, type Route } from './call.js';
import { interactionSpeaker } from './interactions.js';
import { readEdit, readNewMessage } from './message-form.js';

const MESSAGES = '/webhooks/:application/:token/messages/:message';

/** What follows an interaction's first answer: @original and follow-ups, for as long as the token lives. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  { method: 'POST', pattern: '/webhooks/:application/:token', handle: followUp, open: true },
  { method: 'GET', pattern: MESSAGES, handle: get, open: true },
  { method: 'PATCH', pattern: MESSAGES, handle: edit, open: true },
  { method: 'DELETE', pattern: MESSAGES, handle: remove, open: true },
];

type Context = { record: InteractionRecord; channel: FakeChannel };

function contextOf({ core, params }: Call): Context {
  const record = [...core.interactions.values()].find(({ token }) => token === params.token);
  if (record === undefined || params.application !== core.world.applicationId) throw refuse('unknownWebhook');
  if (core.clock.now() - record.startedAt > core.options.interactionTokenMs) throw refuse('invalidToken');
  if (record.callback === null) throw refuse('unknownWebhook');
  const channel = core.world.channels.get(record.channelId);
  if (channel === undefined) throw refuse('unknownChannel');
  return { record, channel };
}

function placeOf(call: Call, { record, channel }: Context): Located {
  const wanted = call.params.message === '@original' ? record.originalId : (call.params.message ?? null);
  const mine = wanted === record.originalId || record.followUpIds.includes(wanted ?? '');
  const place = mine ? locate(call.core, channel, wanted) : undefined;
  if (place === undefined) throw refuse('unknownMessage');
  return place;
}

function followUp(call: Call): Answer {
  const { core, form, entry } = call;
  const context = contextOf(call);
  const { record, channel } = context;
  const fills = record.waiting && locate(core, channel, record.originalId) !== undefined;
  if (fills) return edit({ ...call, params: { ...call.params, message: '@original' } });
  const read = readNewMessage(call, form, interactionSpeaker(call, channel), channel);
  entry.pings = read.pings;
  const message = postForInteraction(core, record, channel, read, true);
  record.followUpIds.push(message.id);
  core.journal.changed();
  return ok(messageJson(core.world, message));
}

function get(call: Call): Answer {
  return ok(messageJson(call.core.world, placeOf(call, contextOf(call)).message));
}

function edit(call: Call): Answer {
  const { core, entry } = call;
  const context = contextOf(call);
  const place = placeOf(call, context);
  const { stickers: _, ...change } = readEdit(
    call,
    place.message,
    interactionSpeaker(call, context.channel),
    context.channel,
  );
  entry.pings = change.pings;
  const kept = (place.message.flags ?? 0) & FLAG.ephemeral;
  changeForInteraction(core, context.record, place, { ...change, flags: (change.flags & ~FLAG.ephemeral) | kept });
  return ok(messageJson(core.world, place.message));
}

function remove(call: Call): Answer {
  removeForInteraction(call.core, placeOf(call, contextOf(call)));
  return NO_CONTENT;
}
