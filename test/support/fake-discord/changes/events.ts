import type { APIMessage } from 'discord.js';
import { INTENT } from '../shared/constants.js';
import { allows } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import {
  channelJson,
  guildJson,
  memberJson,
  messageJson,
  roleJson,
  userJson,
  withoutContent,
} from '../state/discord-objects.js';
import type { StoredMessage } from '../state/message-history.js';
import { type Session, shardOf } from '../state/sessions.js';
import {
  type FakeChannel,
  type FakeGuild,
  type FakeMember,
  type FakeRole,
  type FakeUser,
  isThread,
} from '../state/world.js';

/** A dispatch and who receives it. */
type GatewayEvent = {
  t: string;
  /** Null for direct messages. */
  guildId: string | null;
  /** The channel that the bot must have VIEW_CHANNEL in. */
  channel?: FakeChannel;
  /** Bits of which the session needs one; 0 for events without an intent. */
  intents: number;
  /** The payload, which can depend on the session's intents. */
  d(session: Session): unknown;
};

/** Dispatches an event to the sessions that receive it by shard, guild, intents and the bot's permissions. */
export function publish(core: Core, event: GatewayEvent): void {
  for (const session of core.sessions.all()) {
    if (!reaches(core, event, session)) continue;
    core.sessions.dispatch(session, event.t, structuredClone(event.d(session)));
  }
}

function reaches(core: Core, { t, guildId, channel, intents }: GatewayEvent, session: Session): boolean {
  const [shard, count] = session.shard;
  if (intents !== 0 && (session.intents & intents) === 0) return false;
  if (guildId === null) return shard === 0;
  if (shardOf(guildId, count) !== shard) return false;
  if (t === 'GUILD_CREATE' || t === 'GUILD_DELETE' || t === 'INTERACTION_CREATE') return true;
  const guild = core.world.guilds.get(guildId);
  if (guild === undefined || !guild.joined || !guild.available) return false;
  if ((session.intents & INTENT.guilds) !== 0 && !session.guildIds.has(guildId)) return false;
  return channel === undefined || allows(core.world.permissionsIn(channel, core.world.bot.id), 'ViewChannel');
}

/** Dispatches MESSAGE_CREATE or MESSAGE_UPDATE, without the content to sessions that lack the intent for it. */
export function messageChanged(
  core: Core,
  change: 'CREATE' | 'UPDATE',
  channel: FakeChannel,
  message: StoredMessage,
): void {
  const whole = messageJson(core.world, message);
  publish(core, {
    t: `MESSAGE_${change}`,
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directMessages : INTENT.guildMessages,
    d: (session) => withGatewayFields(core, channel, visibleTo(core, session, channel, whole)),
  });
}

/** Dispatches MESSAGE_CREATE for an ephemeral message: like a direct message, without guild and member. */
export function ephemeralCreated(core: Core, message: StoredMessage): void {
  const d = messageJson(core.world, message);
  publish(core, { t: 'MESSAGE_CREATE', guildId: null, intents: INTENT.directMessages, d: () => d });
}

/** Dispatches MESSAGE_DELETE, or MESSAGE_DELETE_BULK. */
export function messagesDeleted(core: Core, channel: FakeChannel, ids: readonly string[], bulk: boolean): void {
  publish(core, {
    t: bulk ? 'MESSAGE_DELETE_BULK' : 'MESSAGE_DELETE',
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directMessages : INTENT.guildMessages,
    d: () => (bulk ? { ids, ...locationJson(channel) } : { id: ids[0], ...locationJson(channel) }),
  });
}

/** Dispatches MESSAGE_REACTION_ADD or MESSAGE_REACTION_REMOVE. */
export function reactionChanged(
  core: Core,
  change: 'ADD' | 'REMOVE',
  channel: FakeChannel,
  message: StoredMessage,
  user: FakeUser,
  emoji: { id: string | null; name: string },
): void {
  const d = { ...locationJson(channel), message_id: message.id, user_id: user.id, emoji, burst: false, type: 0 };
  const author = change === 'ADD' ? { message_author_id: message.author.id } : {};
  publish(core, {
    t: `MESSAGE_REACTION_${change}`,
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directReactions : INTENT.guildReactions,
    d: () => ({ ...d, ...author }),
  });
}

/** Dispatches TYPING_START. */
export function typingStarted(core: Core, channel: FakeChannel, user: FakeUser): void {
  publish(core, {
    t: 'TYPING_START',
    guildId: channel.guildId,
    channel,
    intents: channel.guildId === null ? INTENT.directTyping : INTENT.guildTyping,
    d: () => ({ ...locationJson(channel), user_id: user.id, timestamp: Math.floor(core.clock.now() / 1000) }),
  });
}

function locationJson({ id, guildId }: FakeChannel) {
  return { channel_id: id, ...(guildId === null ? {} : { guild_id: guildId }) };
}

function visibleTo(core: Core, session: Session, channel: FakeChannel, message: APIMessage): APIMessage {
  if ((session.intents & INTENT.messageContent) !== 0) return message;
  return withoutContent(message, core.world.bot.id, channel.guildId === null);
}

/** Adds what only the gateway sends: guild, author's member, members of mentioned users, and the channel's type. */
function withGatewayFields(core: Core, channel: FakeChannel, message: APIMessage) {
  const guild = channel.guildId === null ? undefined : core.world.guilds.get(channel.guildId);
  if (guild === undefined) return { ...message, channel_type: channel.type };
  const author = guild.members.get(message.author.id);
  const mentions = message.mentions.map((user) => {
    const member = guild.members.get(user.id);
    return member === undefined ? user : { ...userJson(core.world.user(user)), member: memberJson(member) };
  });
  return {
    ...message,
    mentions,
    guild_id: guild.id,
    channel_type: channel.type,
    ...(author === undefined || message.webhook_id !== undefined ? {} : { member: memberJson(author) }),
  };
}

/**
 * Builds GUILD_CREATE: active threads only where the bot has VIEW_CHANNEL, other members only with the intent for them.
 */
function guildCreateJson(core: Core, guild: FakeGuild, session: Session) {
  const { world } = core;
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const threads = channels.filter((channel) => isThread(channel) && !channel.thread.archived);
  const allMembers = (session.intents & INTENT.guildMembers) !== 0;
  const members = [...guild.members.values()].filter(({ userId }) => allMembers || userId === world.bot.id);
  return {
    ...guildJson(guild),
    unavailable: false,
    large: false,
    joined_at: new Date(guild.members.get(world.bot.id)?.joinedAt ?? core.clock.now()).toISOString(),
    member_count: guild.members.size,
    channels: channels.filter((channel) => !isThread(channel)).map((channel) => channelJson(world, channel)),
    threads: threads
      .filter((thread) => allows(world.permissionsIn(thread, world.bot.id), 'ViewChannel'))
      .map((thread) => channelJson(world, thread)),
    members: members.map((member) => ({ ...memberJson(member), user: userJson(world.user({ id: member.userId })) })),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** Dispatches GUILD_CREATE to one session, which receives the guild's other events from then on. */
export function sendGuild(core: Core, guild: FakeGuild, session: Session): void {
  const [shard, count] = session.shard;
  if (!guild.joined || !guild.available || shardOf(guild.id, count) !== shard) return;
  if ((session.intents & INTENT.guilds) === 0) return;
  session.guildIds.add(guild.id);
  core.sessions.dispatch(session, 'GUILD_CREATE', guildCreateJson(core, guild, session));
}

/** Dispatches GUILD_CREATE to all sessions: the bot joined, or an outage has ended. */
export function guildCreated(core: Core, guild: FakeGuild): void {
  for (const session of core.sessions.all()) sendGuild(core, guild, session);
}

/** Dispatches GUILD_DELETE: an outage if `unavailable`, else the bot was removed. */
export function guildDeleted(core: Core, guild: FakeGuild, unavailable: boolean): void {
  const d = { id: guild.id, ...(unavailable ? { unavailable } : {}) };
  publish(core, { t: 'GUILD_DELETE', guildId: guild.id, intents: INTENT.guilds, d: () => d });
  for (const session of core.sessions.all()) session.guildIds.delete(guild.id);
}

/** Dispatches CHANNEL_CREATE, CHANNEL_UPDATE or CHANNEL_DELETE; nothing for direct messages. */
export function channelChanged(core: Core, change: 'CREATE' | 'UPDATE' | 'DELETE', channel: FakeChannel): void {
  if (channel.guildId === null) return;
  const d = channelJson(core.world, channel);
  publish(core, { t: `CHANNEL_${change}`, guildId: channel.guildId, intents: INTENT.guilds, d: () => d });
}

/** Dispatches THREAD_CREATE, THREAD_UPDATE or THREAD_DELETE. */
export function threadChanged(core: Core, change: 'CREATE' | 'UPDATE' | 'DELETE', thread: FakeChannel): void {
  const { id, type, guildId, parentId } = thread;
  const whole = { ...channelJson(core.world, thread), ...(change === 'CREATE' ? { newly_created: true } : {}) };
  const d = change === 'DELETE' ? { id, type, guild_id: guildId, parent_id: parentId } : whole;
  publish(core, { t: `THREAD_${change}`, guildId, channel: thread, intents: INTENT.guilds, d: () => d });
}

/** Dispatches GUILD_ROLE_CREATE, GUILD_ROLE_UPDATE or GUILD_ROLE_DELETE. */
export function roleChanged(
  core: Core,
  change: 'CREATE' | 'UPDATE' | 'DELETE',
  guild: FakeGuild,
  role: FakeRole,
): void {
  const body = change === 'DELETE' ? { role_id: role.id } : { role: roleJson(role) };
  const d = { guild_id: guild.id, ...body };
  publish(core, { t: `GUILD_ROLE_${change}`, guildId: guild.id, intents: INTENT.guilds, d: () => d });
}

/** Dispatches GUILD_MEMBER_ADD, _UPDATE or _REMOVE; updates of the bot's own member need no intent. */
export function memberChanged(
  core: Core,
  change: 'ADD' | 'UPDATE' | 'REMOVE',
  guild: FakeGuild,
  member: FakeMember,
): void {
  const user = userJson(core.world.user({ id: member.userId }));
  const d = { guild_id: guild.id, user, ...(change === 'REMOVE' ? {} : memberJson(member)) };
  const intents = change === 'UPDATE' && member.userId === core.world.bot.id ? 0 : INTENT.guildMembers;
  publish(core, { t: `GUILD_MEMBER_${change}`, guildId: guild.id, intents, d: () => d });
}
