import { INTENT } from '../constants.js';
import type { Core } from '../core.js';
import { type FakeChannel, type FakeGuild, type FakeMember, type FakeRole, isThread } from '../entities.js';
import { allows } from '../permissions.js';
import { channelJson, memberJson, roleJson, userJson } from '../render.js';
import { guildJson } from '../render-guild.js';
import { publish } from './publish.js';
import { type Session, shardOf } from './sessions.js';

/** Everything of a guild that GUILD_CREATE carries; threads only where the bot may look. */
export function guildCreateJson(core: Core, guild: FakeGuild, session: Session) {
  const { world } = core;
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const threads = channels.filter((channel) => isThread(channel) && !channel.thread.archived);
  const all = (session.intents & INTENT.guildMembers) !== 0;
  const members = [...guild.members.values()].filter(({ userId }) => all || userId === world.bot.id);
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

/** Sends a guild to one session, after which it is told what happens there. */
export function sendGuild(core: Core, guild: FakeGuild, session: Session): void {
  const [shard, count] = session.shard;
  if (!guild.joined || !guild.available || shardOf(guild.id, count) !== shard) return;
  if ((session.intents & INTENT.guilds) === 0) return;
  session.guildIds.add(guild.id);
  core.sessions.dispatch(session, 'GUILD_CREATE', guildCreateJson(core, guild, session));
}

/** GUILD_CREATE to all sessions: the bot joined, or an outage is over. */
export function guildCreated(core: Core, guild: FakeGuild): void {
  for (const session of core.sessions.all()) sendGuild(core, guild, session);
}

/** GUILD_DELETE: an outage when `unavailable`, else the bot was removed. */
export function guildDeleted(core: Core, guild: FakeGuild, unavailable: boolean): void {
  const d = { id: guild.id, ...(unavailable ? { unavailable } : {}) };
  publish(core, { t: 'GUILD_DELETE', guildId: guild.id, intents: INTENT.guilds, d: () => d });
  for (const session of core.sessions.all()) session.guildIds.delete(guild.id);
}

/** CHANNEL_CREATE, CHANNEL_UPDATE or CHANNEL_DELETE; threads have their own events. */
export function channelChanged(core: Core, change: 'CREATE' | 'UPDATE' | 'DELETE', channel: FakeChannel): void {
  if (channel.guildId === null) return;
  const d = channelJson(core.world, channel);
  publish(core, { t: `CHANNEL_${change}`, guildId: channel.guildId, intents: INTENT.guilds, d: () => d });
}

/** THREAD_CREATE, THREAD_UPDATE or THREAD_DELETE. */
export function threadChanged(core: Core, change: 'CREATE' | 'UPDATE' | 'DELETE', thread: FakeChannel): void {
  const { id, type, guildId, parentId } = thread;
  const whole = { ...channelJson(core.world, thread), ...(change === 'CREATE' ? { newly_created: true } : {}) };
  const d = change === 'DELETE' ? { id, type, guild_id: guildId, parent_id: parentId } : whole;
  publish(core, { t: `THREAD_${change}`, guildId, channel: thread, intents: INTENT.guilds, d: () => d });
}

/** GUILD_ROLE_CREATE, GUILD_ROLE_UPDATE or GUILD_ROLE_DELETE. */
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

/** GUILD_MEMBER_ADD, _UPDATE or _REMOVE; the bot always hears of changes to itself. */
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
