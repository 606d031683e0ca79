import type { Overwrite } from './permissions.js';

/** Somebody with an account. */
export type FakeUser = { id: string; name: string; globalName: string | null; bot: boolean; refusesDms: boolean };

/** A role; @everyone has its guild's id. */
export type FakeRole = {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  mentionable: boolean;
  managed: boolean;
};

/** A user's membership in one guild. */
export type FakeMember = { userId: string; nick: string | null; roleIds: string[]; joinedAt: number };

/** A server. `joined` says that the bot is in it, `available` that Discord can reach it. */
export type FakeGuild = {
  id: string;
  name: string;
  ownerId: string;
  locale: string;
  joined: boolean;
  available: boolean;
  roles: Map<string, FakeRole>;
  members: Map<string, FakeMember>;
};

/** What a thread has beyond a channel. */
export type FakeThread = {
  ownerId: string;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
  memberIds: Set<string>;
  createdAt: number;
};

/** A channel, thread or direct message. `guildId` is null in direct messages, where `recipientId` is the other side. */
export type FakeChannel = {
  id: string;
  type: number;
  name: string;
  topic: string | null;
  guildId: string | null;
  parentId: string | null;
  recipientId: string | null;
  position: number;
  overwrites: Overwrite[];
  thread: FakeThread | null;
};

/** Bytes that somebody uploaded. */
export type StoredFile = {
  id: string;
  channelId: string;
  name: string;
  contentType: string | undefined;
  bytes: Buffer;
};

/** Whether the channel is a thread of any kind. */
export function isThread(channel: FakeChannel): channel is FakeChannel & { thread: FakeThread; parentId: string } {
  return channel.thread !== null;
}
