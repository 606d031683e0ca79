import { refuse } from '../api-error.js';
import { CHANNEL } from '../constants.js';
import type { Core } from '../core.js';
import { type FakeChannel, type FakeGuild, isThread } from '../entities.js';
import type { StoredMessage } from '../history.js';
import { MESSAGE_DEFAULTS, type MentionRules } from '../mentions.js';
import { allows, type PermissionName } from '../permissions.js';
import type { Call } from './call.js';

/** The guild of the path. @throws {ApiError} 10004 when there is none, 50001 when the bot is not in it. */
export function guildOf({ core, params }: Call): FakeGuild {
  const guild = core.world.guilds.get(params.guild ?? '');
  if (guild === undefined) throw refuse('unknownGuild');
  if (!guild.joined) throw refuse('missingAccess');
  return guild;
}

/** The channel of the path. @throws {ApiError} 10003 when there is none, 50001 when the bot cannot see it. */
export function channelOf({ core, params }: Call): FakeChannel {
  const channel = core.world.channels.get(params.channel ?? '');
  if (channel === undefined) throw refuse('unknownChannel');
  const guild = channel.guildId === null ? undefined : core.world.guilds.get(channel.guildId);
  if (guild?.joined === false || !botCan(core, channel, 'ViewChannel')) throw refuse('missingAccess');
  return channel;
}

/** The message of the path. @throws {ApiError} 10008 when it is not in that channel. */
export function messageOf({ core, params }: Call, channel: FakeChannel): StoredMessage {
  const message = core.world.history(channel.id).find(params.message ?? '');
  if (message === undefined) throw refuse('unknownMessage');
  return message;
}

/** Whether the bot may do all of this in the channel. */
export function botCan(core: Core, channel: FakeChannel, ...names: PermissionName[]): boolean {
  return allows(core.world.permissionsIn(channel, core.world.bot.id), ...names);
}

/** @throws {ApiError} 50013 unless the bot may do all of this in the channel. */
export function requirePermissions({ core }: Call, channel: FakeChannel, ...names: PermissionName[]): void {
  if (!botCan(core, channel, ...names)) throw refuse('missingPermissions');
}

/** @throws {ApiError} what Discord says to a bot that may not post there now. */
export function requirePostable(call: Call, channel: FakeChannel): void {
  const { core } = call;
  if (channel.type === CHANNEL.forum || channel.type === CHANNEL.media) throw refuse('nonTextForum');
  if (channel.type === CHANNEL.category) throw refuse('nonText');
  const recipient = core.world.users.get(channel.recipientId ?? '');
  if (recipient?.refusesDms) throw refuse('dmRefused');
  requirePermissions(call, channel, isThread(channel) ? 'SendMessagesInThreads' : 'SendMessages');
  if (isThread(channel) && channel.thread.locked && !botCan(core, channel, 'ManageThreads'))
    throw refuse('threadLocked');
}

/** The bot as the speaker of a text in this channel. */
export function botMentionRules(core: Core, channel: FakeChannel, repliedUserId: string | null): MentionRules {
  return {
    defaults: MESSAGE_DEFAULTS,
    mayMentionAll: botCan(core, channel, 'MentionEveryone'),
    guild: core.world.guilds.get(channel.guildId ?? '') ?? null,
    repliedUserId,
  };
}
