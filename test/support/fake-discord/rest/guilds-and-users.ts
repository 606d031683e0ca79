import { guildDeleted } from '../changes/events.js';
import { asString } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { applicationFlags, channelJson, guildJson, memberJson, roleJson, userJson } from '../state/discord-objects.js';
import { isThread } from '../state/world.js';
import { apiError, type Call, guildOf, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';

/** The endpoints of guilds, users, the application, and the gateway's address. */
export const GUILD_AND_USER_ROUTES: readonly Route[] = [
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
  { method: 'GET', pattern: '/gateway', handle: ({ core }) => ok({ url: core.urls.gateway }), withoutToken: true },
  { method: 'GET', pattern: '/gateway/bot', handle: getGatewayBot },
  { method: 'GET', pattern: '/users/@me', handle: ({ core }) => ok(currentUserJson(core)) },
  { method: 'PATCH', pattern: '/users/@me', handle: modifyCurrentUser },
  { method: 'GET', pattern: '/users/@me/guilds', handle: getCurrentUserGuilds },
  { method: 'DELETE', pattern: '/users/@me/guilds/:guild', handle: leaveGuild },
  { method: 'GET', pattern: '/users/:user', handle: getUser },
  { method: 'GET', pattern: '/applications/@me', handle: ({ core }) => ok(applicationJson(core)) },
  { method: 'GET', pattern: '/oauth2/applications/@me', handle: ({ core }) => ok(applicationJson(core)) },
];

function getGuildChannels(call: Call): RestResponse {
  const { id } = guildOf(call);
  const { world } = call.core;
  const channels = [...world.channels.values()].filter((channel) => channel.guildId === id && !isThread(channel));
  return ok(channels.map((channel) => channelJson(world, channel)));
}

function getGuildMember(call: Call): RestResponse {
  const guild = guildOf(call);
  const { world } = call.core;
  const member = guild.members.get(call.params.user ?? world.bot.id);
  if (member === undefined) throw apiError('unknownMember');
  return ok({ ...memberJson(member), user: userJson(world.user({ id: member.userId })) });
}

function listGuildMembers(call: Call): RestResponse {
  const guild = guildOf(call);
  const { world } = call.core;
  if (!world.grantedIntents.has('guildMembers')) throw apiError('missingAccess');
  const limit = Number(call.query.limit ?? 1);
  return ok(
    [...guild.members.values()]
      .slice(0, limit)
      .map((member) => ({ ...memberJson(member), user: userJson(world.user({ id: member.userId })) })),
  );
}

function getGatewayBot({ core }: Call): RestResponse {
  return ok({ url: core.urls.gateway, shards: 1, session_start_limit: { ...core.sessionStartLimit } });
}

function currentUserJson(core: Core) {
  return { ...userJson(core.world.bot), mfa_enabled: false, locale: 'en-US', verified: true, email: null };
}

function modifyCurrentUser({ core, form }: Call): RestResponse {
  core.world.bot.name = asString(form.username) ?? core.world.bot.name;
  return ok(currentUserJson(core));
}

function getCurrentUserGuilds({ core }: Call): RestResponse {
  const { world } = core;
  const joined = [...world.guilds.values()].filter((guild) => guild.joined);
  return ok(
    joined.map((guild) => {
      const { id, name, icon, banner, features } = guildJson(guild);
      const permissions = String(world.permissionsInGuild(guild, world.bot.id));
      return { id, name, icon, banner, features, owner: guild.ownerId === world.bot.id, permissions };
    }),
  );
}

function leaveGuild(call: Call): RestResponse {
  const guild = guildOf(call);
  guildDeleted(call.core, guild, false);
  guild.joined = false;
  return NO_CONTENT;
}

function getUser({ core, params }: Call): RestResponse {
  const user = core.world.users.get(params.user ?? '');
  if (user === undefined) throw apiError('unknownUser');
  return ok(userJson(user));
}

function applicationJson(core: Core) {
  const { world } = core;
  const owner = [...world.users.values()].find(({ bot }) => !bot) ?? world.bot;
  return {
    id: world.applicationId,
    name: world.bot.name,
    icon: null,
    description: '',
    type: null,
    summary: '',
    bot: userJson(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: applicationFlags(core),
    flags_new: String(applicationFlags(core)),
    owner: userJson(owner),
    team: null,
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    eligible_oauth2_scopes: [],
  };
}
