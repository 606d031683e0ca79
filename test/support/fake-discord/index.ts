/** The front door of the fake Discord: import nothing else of this folder. README.md says how it is used. */

export type { InteractionExtras } from './changes/interactions.js';
export type { FileDraft } from './changes/messages.js';
export type { ChannelDraft, OverwriteDraft, ThreadOptions } from './driver/channels.js';
export type { OptionValues } from './driver/commands.js';
export type { GuildDraft, MemberDraft } from './driver/guilds.js';
export type { ModalValues } from './driver/interactions.js';
export type { SayOptions } from './driver/messages.js';
export type { Choice, InteractionHandle } from './driver/queries.js';
export type { GatewayControl } from './gateway/server.js';
export { type RemoteDiscord, startFakeDiscordProcess } from './process.js';
export type { Ref } from './shared/clock.js';
export type { ChannelTypeName, PrivilegedIntent } from './shared/constants.js';
export type { Overwrite, PermissionName } from './shared/permissions.js';
export { type FakeDiscord, startFakeDiscord } from './start.js';
export type { FakeDiscordOptions, SessionStartLimit } from './state/core.js';
export type { Fault, FaultHandle, FaultTarget } from './state/faults.js';
export type {
  ConnectionEntry,
  Entry,
  GatewayEntry,
  Journal,
  JournalFile,
  Match,
  Pattern,
  RestEntry,
  WaitOptions,
} from './state/journal.js';
export type { Pings } from './state/mentions.js';
export type { RateLimitModel } from './state/rate-limits.js';
export type {
  FakeChannel,
  FakeGuild,
  FakeMember,
  FakeRole,
  FakeUser,
  InteractionCallback,
  InteractionRecord,
} from './state/world.js';
