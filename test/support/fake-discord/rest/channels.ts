import { refuse } from '../api-error.js';
import { CHANNEL } from '../constants.js';
import { openDm } from '../direct.js';
import { isThread } from '../entities.js';
import { channelChanged, threadChanged } from '../gateway/guild-events.js';
import { asNumber, asString } from '../json.js';
import { channelJson } from '../render.js';
import { deleteChannel } from '../threads.js';
import { channelOf, need, needToPost } from './access.js';
import { type Answer, type Call, NO_CONTENT, ok, type Route } from './call.js';

/** Channels themselves, typing, and direct messages. */
export const CHANNEL_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/channels/:channel', handle: (call) => ok(channelJson(call.core.world, channelOf(call))) },
  { method: 'PATCH', pattern: '/channels/:channel', handle: change },
  { method: 'DELETE', pattern: '/channels/:channel', handle: remove },
  { method: 'POST', pattern: '/channels/:channel/typing', handle: type },
  { method: 'POST', pattern: '/users/@me/channels', handle: direct },
];

function change(call: Call): Answer {
  const { core, form } = call;
  const channel = channelOf(call);
  channel.name = asString(form.name) ?? channel.name;
  if (isThread(channel)) {
    const mine = channel.thread.ownerId === core.world.bot.id;
    if (!mine || form.locked !== undefined) need(call, channel, 'ManageThreads');
    if (typeof form.archived === 'boolean') channel.thread.archived = form.archived;
    if (typeof form.locked === 'boolean') channel.thread.locked = form.locked;
    channel.thread.autoArchiveMinutes = asNumber(form.auto_archive_duration) ?? channel.thread.autoArchiveMinutes;
    threadChanged(core, 'UPDATE', channel);
  } else {
    need(call, channel, 'ManageChannels');
    channel.topic = asString(form.topic) ?? channel.topic;
    channelChanged(core, 'UPDATE', channel);
  }
  return ok(channelJson(core.world, channel));
}

function remove(call: Call): Answer {
  const channel = channelOf(call);
  const json = channelJson(call.core.world, channel);
  if (channel.type === CHANNEL.dm) return ok(json);
  need(call, channel, isThread(channel) ? 'ManageThreads' : 'ManageChannels');
  deleteChannel(call.core, channel);
  return ok(json);
}

function type(call: Call): Answer {
  needToPost(call, channelOf(call));
  return NO_CONTENT;
}

function direct({ core, form }: Call): Answer {
  const user = core.world.users.get(String(form.recipient_id));
  if (user === undefined || user.bot) throw refuse(user === undefined ? 'unknownUser' : 'dmRefused');
  return ok(channelJson(core.world, openDm(core, user)));
}
