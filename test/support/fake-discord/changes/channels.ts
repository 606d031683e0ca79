import { CHANNEL_TYPE, MESSAGE_FLAG, MESSAGE_TYPE, REFERENCE_TYPE } from '../shared/constants.js';
import type { Core } from '../state/core.js';
import { NO_PINGS } from '../state/mentions.js';
import type { StoredMessage } from '../state/message-history.js';
import type { FakeChannel, FakeUser } from '../state/world.js';
import { channelChanged, messageChanged, threadChanged } from './events.js';
import { postMessage } from './messages.js';

/** Returns the direct message channel between the bot and a user; creates it on the first call. */
export function openDm(core: Core, user: FakeUser): FakeChannel {
  const existing = [...core.world.channels.values()].find(({ recipientId }) => recipientId === user.id);
  if (existing !== undefined) return existing;
  const channel: FakeChannel = {
    id: core.snowflake(),
    type: CHANNEL_TYPE.dm,
    name: '',
    topic: null,
    guildId: null,
    parentId: null,
    recipientId: user.id,
    position: 0,
    overwrites: [],
    thread: null,
  };
  core.world.channels.set(channel.id, channel);
  return channel;
}

/** A new thread. `from` is the message it is started from, whose id it takes. */
type ThreadDraft = {
  name: string;
  owner: FakeUser;
  private?: boolean | undefined;
  from?: StoredMessage | undefined;
  autoArchiveMinutes?: number | undefined;
};

/** Creates a thread or forum post, with the system messages that Discord posts in parent and thread. */
export function createThread(core: Core, parent: FakeChannel, draft: ThreadDraft): FakeChannel {
  const forum = parent.type === CHANNEL_TYPE.forum || parent.type === CHANNEL_TYPE.media;
  const publicType =
    parent.type === CHANNEL_TYPE.announcement ? CHANNEL_TYPE.announcementThread : CHANNEL_TYPE.publicThread;
  const thread: FakeChannel = {
    id: draft.from?.id ?? core.snowflake(),
    type: draft.private ? CHANNEL_TYPE.privateThread : publicType,
    name: draft.name,
    topic: null,
    guildId: parent.guildId,
    parentId: parent.id,
    recipientId: null,
    position: 0,
    overwrites: [],
    thread: {
      ownerId: draft.owner.id,
      archived: false,
      locked: false,
      autoArchiveMinutes: draft.autoArchiveMinutes ?? 1440,
      memberIds: new Set([draft.owner.id]),
      createdAt: core.clock.now(),
    },
  };
  core.world.channels.set(thread.id, thread);
  threadChanged(core, 'CREATE', thread);
  if (draft.from !== undefined) attachToMessage(core, parent, thread, draft.from, draft.owner);
  else if (!forum && !draft.private) announceThread(core, parent, thread, draft.owner);
  return thread;
}

function attachToMessage(
  core: Core,
  parent: FakeChannel,
  thread: FakeChannel,
  from: StoredMessage,
  owner: FakeUser,
): void {
  from.flags = (from.flags ?? 0) | MESSAGE_FLAG.hasThread;
  messageChanged(core, 'UPDATE', parent, from);
  const reference = {
    type: REFERENCE_TYPE.reply,
    channel_id: parent.id,
    message_id: from.id,
    guild_id: parent.guildId ?? '',
  };
  postMessage(core, thread, {
    author: owner,
    content: '',
    pings: NO_PINGS,
    type: MESSAGE_TYPE.threadStarterMessage,
    reference,
  });
}

function announceThread(core: Core, parent: FakeChannel, thread: FakeChannel, owner: FakeUser): void {
  const reference = { type: REFERENCE_TYPE.reply, channel_id: thread.id, guild_id: parent.guildId ?? '' };
  postMessage(core, parent, {
    author: owner,
    content: thread.name,
    pings: NO_PINGS,
    type: MESSAGE_TYPE.threadCreated,
    reference,
  });
}

/** Archives or locks a thread, or reverses it. */
export function changeThread(core: Core, thread: FakeChannel, change: { archived?: boolean; locked?: boolean }): void {
  Object.assign(thread.thread ?? {}, change);
  threadChanged(core, 'UPDATE', thread);
}

/** Deletes a channel or thread. A channel's threads are deleted with it, without events of their own. */
export function deleteChannel(core: Core, channel: FakeChannel): void {
  if (channel.thread === null) channelChanged(core, 'DELETE', channel);
  else threadChanged(core, 'DELETE', channel);
  const deleted = [...core.world.channels.values()].filter(({ id, parentId, thread }) => {
    return id === channel.id || (thread !== null && parentId === channel.id);
  });
  for (const { id } of deleted) core.world.channels.delete(id);
  core.journal.changed();
}
