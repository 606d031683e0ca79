import { invalidForm, refuse } from '../api-error.js';
import { timeOf } from '../clock.js';
import { isThread } from '../entities.js';
import { asStrings } from '../json.js';
import { deleteMessages } from '../messages.js';
import { channelOf, messageOf, requirePermissions } from './access.js';
import { type Call, NO_CONTENT, type RestResponse, type Route } from './call.js';

const BULK_AGE_MS = 14 * 24 * 3600_000;

/** Deleting messages, one or many. */
export const REMOVAL_ROUTES: readonly Route[] = [
  { method: 'DELETE', pattern: '/channels/:channel/messages/:message', handle: deleteMessage },
  { method: 'POST', pattern: '/channels/:channel/messages/bulk-delete', handle: bulkDeleteMessages },
];

function deleteMessage(call: Call): RestResponse {
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (isThread(channel) && channel.thread.archived) throw refuse('archived');
  if (message.author.id !== call.core.world.bot.id) {
    if (channel.guildId === null) throw refuse('systemMessage');
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
  if (ids.length < 2 || ids.length > 100) throw refuse('bulkCount');
  if (new Set(ids).size < ids.length)
    throw invalidForm('messages', 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value');
  if (ids.some((id) => core.clock.now() - timeOf(id) > BULK_AGE_MS)) throw refuse('tooOld');
  deleteMessages(core, channel, ids, true);
  return NO_CONTENT;
}
