import { refuse } from '../api-error.js';
import { isThread } from '../entities.js';
import { channelJson, memberJson, roleJson, userJson } from '../render.js';
import { guildJson } from '../render-guild.js';
import { guildOf } from './access.js';
import { type Call, ok, type RestResponse, type Route } from './call.js';

/** Guilds, their channels, roles and members. */
export const GUILD_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/guilds/:guild', handle: (call) => ok(guildJson(guildOf(call))) },
  { method: 'GET', pattern: '/guilds/:guild/channels', handle: getGuildChannels },
  {
    method: 'GET',
    pattern: '/guilds/:guild/roles',
    handle: (call) => ok([...guildOf(call).roles.values()].map(roleJson)),
  },
  { method: 'GET', pattern: '/guilds/:guild/members/:user', handle: getGuildMember },
  { method: 'GET', pattern: '/guilds/:guild/members', handle: listGuildMembers },
  { method: 'GET', pattern: '/users/@me/guilds/:guild/member', handle: getGuildMember },
];

function getGuildChannels(call: Call): RestResponse {
  const { id } = guildOf(call);
  const { world } = call.core;
  const own = [...world.channels.values()].filter((channel) => channel.guildId === id && !isThread(channel));
  return ok(own.map((channel) => channelJson(world, channel)));
}

function getGuildMember(call: Call): RestResponse {
  const guild = guildOf(call);
  const { world } = call.core;
  const found = guild.members.get(call.params.user ?? world.bot.id);
  if (found === undefined) throw refuse('unknownMember');
  return ok({ ...memberJson(found), user: userJson(world.user({ id: found.userId })) });
}

function listGuildMembers(call: Call): RestResponse {
  const guild = guildOf(call);
  const { world } = call.core;
  if (!world.granted.has('guildMembers')) throw refuse('missingAccess');
  const limit = Number(call.query.limit ?? 1);
  return ok(
    [...guild.members.values()]
      .slice(0, limit)
      .map((each) => ({ ...memberJson(each), user: userJson(world.user({ id: each.userId })) })),
  );
}
