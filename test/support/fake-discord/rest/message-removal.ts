import { invalidForm, refuse } from '../api-error.js';
import { timeOf } from '../clock.js';
import { isThread } from '../entities.js';
import { asStrings } from '../json.js';
import { removeMessages } from '../messages.js';
import { channelOf, messageOf, need } from './access.js';
import { type Answer, type Call, NO_CONTENT, type Route } from './call.js';

const BULK_AGE_MS = 14 * 24 * 3600_000;

/** Deleting messages, one or many. */
export const REMOVAL_ROUTES: readonly Route[] = [
  { method: 'DELETE', pattern: '/channels/:channel/messages/:message', handle: remove },
  { method: 'POST', pattern: '/channels/:channel/messages/bulk-delete', handle: removeMany },
];

function remove(call: Call): Answer {
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (isThread(channel) && channel.thread.archived) throw refuse('archived');
  if (message.author.id !== call.core.world.bot.id) {
    if (channel.guildId === null) throw refuse('systemMessage');
    need(call, channel, 'ManageMessages');
  }
  removeMessages(call.core, channel, [message.id], false);
  return NO_CONTENT;
}

function removeMany(call: Call): Answer {
  const { core, form } = call;
  const channel = channelOf(call);
  need(call, channel, 'ManageMessages');
  const ids = asStrings(form.messages);
  if (ids.length < 2 || ids.length > 100) throw refuse('bulkCount');
  if (new Set(ids).size < ids.length)
    throw invalidForm('messages', 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value');
  if (ids.some((id) => core.clock.now() - timeOf(id) > BULK_AGE_MS)) throw refuse('tooOld');
  removeMessages(core, channel, ids, true);
  return NO_CONTENT;
}
