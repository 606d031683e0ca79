import { createThread, deleteChannel, openDm } from '../changes/channels.js';
import { channelChanged, threadChanged } from '../changes/events.js';
import { postMessage } from '../changes/messages.js';
import { CHANNEL_TYPE } from '../shared/constants.js';
import { asNumber, asObject, asString } from '../shared/json.js';
import { channelJson, messageJson } from '../state/discord-objects.js';
import { type FakeChannel, isThread } from '../state/world.js';
import {
  apiError,
  botCan,
  botMentionRules,
  type Call,
  channelOf,
  checkLength,
  guildOf,
  invalidForm,
  messageOf,
  NO_CONTENT,
  ok,
  type RestResponse,
  type Route,
  requirePermissions,
  requirePostable,
} from './call.js';
import { readNewMessage } from './message-form.js';

/** The endpoints of channels, threads and direct messages. */
export const CHANNEL_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/channels/:channel', handle: (call) => ok(channelJson(call.core.world, channelOf(call))) },
  { method: 'PATCH', pattern: '/channels/:channel', handle: modifyChannel },
  { method: 'DELETE', pattern: '/channels/:channel', handle: closeChannel },
  { method: 'POST', pattern: '/channels/:channel/typing', handle: triggerTyping },
  { method: 'POST', pattern: '/users/@me/channels', handle: createDm },
  { method: 'POST', pattern: '/channels/:channel/messages/:message/threads', handle: startThreadFromMessage },
  { method: 'POST', pattern: '/channels/:channel/threads', handle: startThread },
  {
    method: 'PUT',
    pattern: '/channels/:channel/thread-members/@me',
    handle: (call) => changeThreadMembership(call, true),
  },
  {
    method: 'DELETE',
    pattern: '/channels/:channel/thread-members/@me',
    handle: (call) => changeThreadMembership(call, false),
  },
  { method: 'GET', pattern: '/channels/:channel/thread-members/:user', handle: getThreadMember },
  {
    method: 'GET',
    pattern: '/guilds/:guild/threads/active',
    handle: (call) => listThreads(call, guildOf(call).id, false),
  },
  {
    method: 'GET',
    pattern: '/channels/:channel/threads/archived/public',
    handle: (call) => listThreads(call, channelOf(call).id, true),
  },
];

function modifyChannel(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  channel.name = asString(form.name) ?? channel.name;
  if (isThread(channel)) {
    const isOwner = channel.thread.ownerId === core.world.bot.id;
    if (!isOwner || form.locked !== undefined) requirePermissions(call, channel, 'ManageThreads');
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
  if (channel.type === CHANNEL_TYPE.dm) return ok(json);
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
  if (user === undefined || user.bot) throw apiError(user === undefined ? 'unknownUser' : 'cannotDm');
  return ok(channelJson(core.world, openDm(core, user)));
}

function startThreadFromMessage(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  const from = messageOf(call, channel);
  requirePermissions(call, channel, 'CreatePublicThreads', 'ReadMessageHistory');
  if (channel.type !== CHANNEL_TYPE.text && channel.type !== CHANNEL_TYPE.announcement)
    throw apiError('wrongChannelType');
  if (core.world.channels.has(from.id)) throw apiError('threadExists');
  checkLength('name', form.name, 1, 100);
  return threadResponse(call, createThread(core, channel, { ...threadDraft(call), from }));
}

/** Starts a thread without a message, or a forum post. */
function startThread(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  checkLength('name', form.name, 1, 100);
  if (channel.type === CHANNEL_TYPE.forum || channel.type === CHANNEL_TYPE.media)
    return startForumThread(call, channel);
  if (channel.type !== CHANNEL_TYPE.text && channel.type !== CHANNEL_TYPE.announcement)
    throw apiError('wrongChannelType');
  const isPrivate = (asNumber(form.type) ?? CHANNEL_TYPE.privateThread) === CHANNEL_TYPE.privateThread;
  requirePermissions(call, channel, isPrivate ? 'CreatePrivateThreads' : 'CreatePublicThreads');
  return threadResponse(call, createThread(core, channel, { ...threadDraft(call), private: isPrivate }));
}

function startForumThread(call: Call, forum: FakeChannel): RestResponse {
  const { core, form } = call;
  requirePermissions(call, forum, 'SendMessages');
  if (form.message === undefined) throw invalidForm('message', 'BASE_TYPE_REQUIRED', 'This field is required');
  const read = readNewMessage(call, asObject(form.message), botMentionRules(core, forum, null), forum);
  const thread = createThread(core, forum, threadDraft(call));
  const message = postMessage(core, thread, { author: core.world.bot, ...read, at: undefined });
  return { status: 201, json: { ...channelJson(core.world, thread), message: messageJson(core.world, message) } };
}

function threadDraft({ core, form }: Call) {
  const autoArchiveMinutes = asNumber(form.auto_archive_duration);
  return { name: String(form.name), owner: core.world.bot, autoArchiveMinutes };
}

function threadResponse({ core }: Call, thread: FakeChannel): RestResponse {
  return { status: 201, json: channelJson(core.world, thread) };
}

function changeThreadMembership(call: Call, joins: boolean): RestResponse {
  const thread = channelOf(call);
  if (!isThread(thread)) throw apiError('wrongChannelType');
  if (thread.thread.archived) throw apiError('threadArchived');
  const { memberIds } = thread.thread;
  if (joins) memberIds.add(call.core.world.bot.id);
  else memberIds.delete(call.core.world.bot.id);
  return NO_CONTENT;
}

function getThreadMember(call: Call): RestResponse {
  const thread = channelOf(call);
  const { world } = call.core;
  const id = call.params.user === '@me' ? world.bot.id : (call.params.user ?? '');
  if (!isThread(thread) || !thread.thread.memberIds.has(id)) throw apiError('unknownMember');
  const joinedAt = new Date(thread.thread.createdAt).toISOString();
  return ok({ id: thread.id, user_id: id, join_timestamp: joinedAt, flags: 0 });
}

/** Lists active threads of a guild, or archived ones of a channel. */
function listThreads({ core }: Call, parentId: string, archived: boolean): RestResponse {
  const threads = [...core.world.channels.values()].filter((channel) => {
    return (
      isThread(channel) &&
      (archived ? channel.parentId : channel.guildId) === parentId &&
      channel.thread.archived === archived &&
      botCan(core, channel, 'ViewChannel')
    );
  });
  const json = threads.map((thread) => channelJson(core.world, thread));
  return ok({ threads: json, members: [], ...(archived ? { has_more: false } : {}) });
}
