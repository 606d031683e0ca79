import { invalidForm, refuse } from '../api-error.js';
import { CHANNEL } from '../constants.js';
import { type FakeChannel, isThread } from '../entities.js';
import { asNumber, asObject } from '../json.js';
import { postMessage } from '../messages.js';
import { channelJson } from '../render.js';
import { messageJson } from '../render-message.js';
import { createThread } from '../threads.js';
import { botCan, botMentionRules, channelOf, guildOf, messageOf, requirePermissions } from './access.js';
import { type Call, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';
import { between } from './limits.js';
import { readNewMessage } from './message-form.js';

/** Starting, joining, leaving and listing threads. */
export const THREAD_ROUTES: readonly Route[] = [
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

function startThreadFromMessage(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  const from = messageOf(call, channel);
  requirePermissions(call, channel, 'CreatePublicThreads', 'ReadMessageHistory');
  if (channel.type !== CHANNEL.text && channel.type !== CHANNEL.announcement) throw refuse('wrongChannelType');
  if (core.world.channels.has(from.id)) throw refuse('threadExists');
  between('name', form.name, 1, 100);
  return threadResponse(call, createThread(core, channel, { ...threadDraft(call), from }), 201);
}

function startThread(call: Call): RestResponse {
  const { core, form } = call;
  const channel = channelOf(call);
  between('name', form.name, 1, 100);
  if (channel.type === CHANNEL.forum || channel.type === CHANNEL.media) return startForumThread(call, channel);
  if (channel.type !== CHANNEL.text && channel.type !== CHANNEL.announcement) throw refuse('wrongChannelType');
  const hidden = (asNumber(form.type) ?? CHANNEL.privateThread) === CHANNEL.privateThread;
  requirePermissions(call, channel, hidden ? 'CreatePrivateThreads' : 'CreatePublicThreads');
  return threadResponse(call, createThread(core, channel, { ...threadDraft(call), private: hidden }), 201);
}

function startForumThread(call: Call, forum: FakeChannel): RestResponse {
  const { core, form } = call;
  requirePermissions(call, forum, 'SendMessages');
  const first = asObject(form.message);
  if (form.message === undefined) throw invalidForm('message', 'BASE_TYPE_REQUIRED', 'This field is required');
  const read = readNewMessage(call, first, botMentionRules(core, forum, null), forum);
  const thread = createThread(core, forum, threadDraft(call));
  const message = postMessage(core, thread, { author: core.world.bot, ...read, at: undefined });
  return { status: 201, json: { ...channelJson(core.world, thread), message: messageJson(core.world, message) } };
}

function threadDraft({ core, form }: Call) {
  const autoArchiveMinutes = asNumber(form.auto_archive_duration);
  return { name: String(form.name), owner: core.world.bot, autoArchiveMinutes };
}

function threadResponse({ core }: Call, thread: FakeChannel, status: number): RestResponse {
  return { status, json: channelJson(core.world, thread) };
}

function changeThreadMembership(call: Call, joins: boolean): RestResponse {
  const thread = channelOf(call);
  if (!isThread(thread)) throw refuse('wrongChannelType');
  if (thread.thread.archived) throw refuse('archived');
  const { memberIds } = thread.thread;
  if (joins) memberIds.add(call.core.world.bot.id);
  else memberIds.delete(call.core.world.bot.id);
  return NO_CONTENT;
}

function getThreadMember(call: Call): RestResponse {
  const thread = channelOf(call);
  const { world } = call.core;
  const id = call.params.user === '@me' ? world.bot.id : (call.params.user ?? '');
  if (!isThread(thread) || !thread.thread.memberIds.has(id)) throw refuse('unknownMember');
  const joined = new Date(thread.thread.createdAt).toISOString();
  return ok({ id: thread.id, user_id: id, join_timestamp: joined, flags: 0 });
}

function listThreads({ core }: Call, homeId: string, archived: boolean): RestResponse {
  const threads = [...core.world.channels.values()].filter((channel) => {
    const home = archived ? channel.parentId : channel.guildId;
    return (
      isThread(channel) &&
      home === homeId &&
      channel.thread.archived === archived &&
      botCan(core, channel, 'ViewChannel')
    );
  });
  const json = threads.map((thread) => channelJson(core.world, thread));
  return ok({ threads: json, members: [], ...(archived ? { has_more: false } : {}) });
}
