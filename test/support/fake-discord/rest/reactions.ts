import { refuse } from '../api-error.js';
import { addReaction, removeReaction } from '../reactions.js';
import { userJson } from '../render.js';
import { botCan, channelOf, messageOf, requirePermissions } from './access.js';
import { type Call, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';

const REACTIONS = '/channels/:channel/messages/:message/reactions';

/** Reactions of the bot and of others. */
export const REACTION_ROUTES: readonly Route[] = [
  { method: 'PUT', pattern: `${REACTIONS}/:emoji/@me`, handle: createReaction },
  {
    method: 'DELETE',
    pattern: `${REACTIONS}/:emoji/@me`,
    handle: (call) => deleteReaction(call, call.core.world.bot.id),
  },
  {
    method: 'DELETE',
    pattern: `${REACTIONS}/:emoji/:user`,
    handle: (call) => deleteReaction(call, call.params.user ?? ''),
  },
  { method: 'GET', pattern: `${REACTIONS}/:emoji`, handle: getReactions },
];

function createReaction(call: Call): RestResponse {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  const emoji = params.emoji ?? '';
  if (!botCan(core, channel, 'ReadMessageHistory')) throw refuse('missingPermissions');
  if (!/^(\p{Emoji}|.+:\d+$)/u.test(emoji)) throw refuse('unknownEmoji');
  const present = core.world.reactions.get(message.id)?.get(emoji)?.size ?? 0;
  if (present === 0) requirePermissions(call, channel, 'AddReactions');
  addReaction(core, channel, message, core.world.bot, emoji);
  return NO_CONTENT;
}

function deleteReaction(call: Call, userId: string): RestResponse {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (userId !== core.world.bot.id) requirePermissions(call, channel, 'ManageMessages');
  removeReaction(core, channel, message, core.world.user({ id: userId }), params.emoji ?? '');
  return NO_CONTENT;
}

function getReactions(call: Call): RestResponse {
  const { core, params } = call;
  const message = messageOf(call, channelOf(call));
  const users = core.world.reactions.get(message.id)?.get(params.emoji ?? '') ?? [];
  return ok([...users].map((id) => userJson(core.world.user({ id }))));
}
