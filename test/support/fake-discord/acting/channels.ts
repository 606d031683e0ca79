import type { Ref } from '../clock.js';
import { CHANNEL, type ChannelKind } from '../constants.js';
import type { Core } from '../core.js';
import { openDm } from '../direct.js';
import type { FakeChannel } from '../entities.js';
import { channelChanged, threadChanged } from '../gateway/guild-events.js';
import { type PermissionName, permissionBits } from '../permissions.js';
import { changeThread, createThread, deleteChannel } from '../threads.js';
import type { World } from '../world.js';

/** Rights given or taken in one channel; `for` is a role, a user, or the guild (@everyone). */
export type OverwriteDraft = { for: Ref; allow?: readonly PermissionName[]; deny?: readonly PermissionName[] };

/** A channel to be made; a text channel called general unless said otherwise. */
export type ChannelDraft = {
  name?: string;
  type?: ChannelKind;
  parent?: Ref;
  topic?: string;
  overwrites?: readonly OverwriteDraft[];
};

/** A thread to be made; `from` is the message it hangs on. */
export type ThreadOptions = { name?: string; owner?: Ref; private?: boolean; from?: Ref; members?: readonly Ref[] };

/** Making and changing channels, threads and direct messages. */
export type ChannelActions = {
  addChannel(guild: Ref, draft?: ChannelDraft): FakeChannel;
  addThread(parent: Ref, draft?: ThreadOptions): FakeChannel;
  openDm(user: Ref): FakeChannel;
  /** Sets the rights of a role, a user or everyone in a channel, in place of those it had there. */
  setOverwrite(channel: Ref, overwrite: OverwriteDraft): void;
  /** Moves a channel under another category, or out of any. */
  moveChannel(channel: Ref, parent: Ref | null): void;
  archiveThread(thread: Ref, archived?: boolean): void;
  lockThread(thread: Ref, locked?: boolean): void;
  deleteChannel(channel: Ref): void;
  deleteThread(thread: Ref): void;
};

/** The acts on a core's channels. */
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
    addThread(ref, { name = 'thread', owner, private: hidden, from, members = [] } = {}) {
      const parent = world.channel(ref);
      const guild = world.guild({ id: parent.guildId ?? '' });
      const draft = { name, owner: world.user(owner ?? { id: guild.ownerId }), private: hidden };
      const message = from === undefined ? undefined : world.history(parent.id).find(from.id);
      const thread = createThread(core, parent, { ...draft, from: message });
      for (const member of members) thread.thread?.memberIds.add(member.id);
      if (hidden && members.some(({ id }) => id === world.bot.id)) threadChanged(core, 'CREATE', thread);
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
    type: CHANNEL[type],
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
