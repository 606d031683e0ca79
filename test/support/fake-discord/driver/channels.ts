import { changeThread, createThread, deleteChannel, openDm } from '../changes/channels.js';
import { channelChanged, threadChanged } from '../changes/events.js';
import type { Ref } from '../shared/clock.js';
import { CHANNEL_TYPE, type ChannelTypeName } from '../shared/constants.js';
import { type PermissionName, permissionBits } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import type { FakeChannel, World } from '../state/world.js';

/** A permission overwrite of a role, a user, or the guild (@everyone). */
export type OverwriteDraft = { for: Ref; allow?: readonly PermissionName[]; deny?: readonly PermissionName[] };

/** A new channel; by default a text channel called general. */
export type ChannelDraft = {
  name?: string;
  type?: ChannelTypeName;
  parent?: Ref;
  topic?: string;
  overwrites?: readonly OverwriteDraft[];
};

/** A new thread; `from` is the message it is started from, `owner` the guild's owner by default. */
export type ThreadOptions = { name?: string; owner?: Ref; private?: boolean; from?: Ref; members?: readonly Ref[] };

/** Actions on channels, threads and direct messages. */
export type ChannelActions = {
  addChannel(guild: Ref, draft?: ChannelDraft): FakeChannel;
  addThread(parent: Ref, draft?: ThreadOptions): FakeChannel;
  openDm(user: Ref): FakeChannel;
  /** Sets a permission overwrite; it replaces an existing one of the same role or user. */
  setOverwrite(channel: Ref, overwrite: OverwriteDraft): void;
  /** Moves a channel into a category, or with null out of one. */
  moveChannel(channel: Ref, parent: Ref | null): void;
  archiveThread(thread: Ref, archived?: boolean): void;
  lockThread(thread: Ref, locked?: boolean): void;
  deleteChannel(channel: Ref): void;
  deleteThread(thread: Ref): void;
};

/** Creates the actions on channels, threads and direct messages. */
export function createChannelActions(core: Core): ChannelActions {
  const { world } = core;
  const remove = (ref: Ref) => deleteChannel(core, world.channel(ref));
  return {
    addChannel(guild, draft = {}) {
      const channel = newChannel(core, world.guild(guild).id, draft);
      world.channels.set(channel.id, channel);
      channelChanged(core, 'CREATE', channel);
      return channel;
    },
    addThread(ref, { name = 'thread', owner, private: isPrivate, from, members = [] } = {}) {
      const parent = world.channel(ref);
      const guild = world.guild({ id: parent.guildId ?? '' });
      const draft = { name, owner: world.user(owner ?? { id: guild.ownerId }), private: isPrivate };
      const message = from === undefined ? undefined : world.history(parent.id).find(from.id);
      const thread = createThread(core, parent, { ...draft, from: message });
      for (const member of members) thread.thread?.memberIds.add(member.id);
      if (isPrivate && members.some(({ id }) => id === world.bot.id)) threadChanged(core, 'CREATE', thread);
      return thread;
    },
    openDm: (user) => openDm(core, world.user(user)),
    setOverwrite(ref, draft) {
      const channel = world.channel(ref);
      channel.overwrites = [...channel.overwrites.filter(({ id }) => id !== draft.for.id), toOverwrite(world, draft)];
      channelChanged(core, 'UPDATE', channel);
    },
    moveChannel(ref, parent) {
      const channel = Object.assign(world.channel(ref), { parentId: parent?.id ?? null });
      channelChanged(core, 'UPDATE', channel);
    },
    archiveThread: (thread, archived = true) => changeThread(core, world.channel(thread), { archived }),
    lockThread: (thread, locked = true) => changeThread(core, world.channel(thread), { locked }),
    deleteChannel: remove,
    deleteThread: remove,
  };
}

function newChannel(core: Core, guildId: string, draft: ChannelDraft): FakeChannel {
  const { name = 'general', type = 'text', parent, topic = null, overwrites = [] } = draft;
  return {
    id: core.snowflake(),
    type: CHANNEL_TYPE[type],
    name,
    topic,
    guildId,
    parentId: parent?.id ?? null,
    recipientId: null,
    position: core.world.channels.size,
    overwrites: overwrites.map((each) => toOverwrite(core.world, each)),
    thread: null,
  };
}

function toOverwrite(world: World, { for: { id }, allow = [], deny = [] }: OverwriteDraft) {
  return {
    id,
    type: world.users.has(id) ? (1 as const) : (0 as const),
    allow: permissionBits(allow),
    deny: permissionBits(deny),
  };
}
