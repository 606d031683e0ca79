import { refuse } from '../api-error.js';
import { CHANNEL } from '../constants.js';
import { openDm } from '../direct.js';
import { isThread } from '../entities.js';
import { channelChanged, threadChanged } from '../gateway/guild-events.js';
import { asNumber, asString } from '../json.js';
import { channelJson } from '../render.js';
import { deleteChannel } from '../threads.js';
import { channelOf, requirePermissions, requirePostable } from './access.js';
import { type Call, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';

/** Channels themselves, typing, and direct messages. */
export const CHANNEL_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/channels/:channel', handle: (call) => ok(channelJson(call.core.world, channelOf(call))) },
  { method: 'PATCH', pattern: '/channels/:channel', handle: modifyChannel },
  { method: 'DELETE', pattern: '/channels/:channel', handle: closeChannel },
  { method: 'POST', pattern: '/channels/:channel/typing', handle: triggerTyping },
  { method: 'POST', pattern: '/users/@me/channels', handle: createDm },
];

function modifyChannel(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  channel.name = asString(form.name) ?? channel.name;
  if (isThread(channel)) {
    const mine = channel.thread.ownerId === core.world.bot.id;
    if (!mine || form.locked !== undefined) requirePermissions(call, channel, 'ManageThreads');
    if (typeof form.archived === 'boolean') channel.thread.archived = form.archived;
    if (typeof form.locked === 'boolean') channel.thread.locked = form.locked;
    channel.thread.autoArchiveMinutes = asNumber(form.auto_archive_duration) ?? channel.thread.autoArchiveMinutes;
    threadChanged(core, 'UPDATE', channel);
  } else {
    requirePermissions(call, channel, 'ManageChannels');
    channel.topic = asString(form.topic) ?? channel.topic;
    channelChanged(core, 'UPDATE', channel);
  }
  return ok(channelJson(core.world, channel));
}

function closeChannel(call: Call): RestResponse {
  const channel = channelOf(call);
  const json = channelJson(call.core.world, channel);
  if (channel.type === CHANNEL.dm) return ok(json);
  requirePermissions(call, channel, isThread(channel) ? 'ManageThreads' : 'ManageChannels');
  deleteChannel(call.core, channel);
  return ok(json);
}

function triggerTyping(call: Call): RestResponse {
  requirePostable(call, channelOf(call));
  return NO_CONTENT;
}

function createDm({ core, form }: Call): RestResponse {
  const user = core.world.users.get(String(form.recipient_id));
  if (user === undefined || user.bot) throw refuse(user === undefined ? 'unknownUser' : 'dmRefused');
  return ok(channelJson(core.world, openDm(core, user)));
}
