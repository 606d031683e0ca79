import { refuse } from '../api-error.js';
import { react, unreact } from '../reactions.js';
import { userJson } from '../render.js';
import { botMay, channelOf, messageOf, need } from './access.js';
import { type Answer, type Call, NO_CONTENT, ok, type Route } from './call.js';

const REACTIONS = '/channels/:channel/messages/:message/reactions';

/** Reactions of the bot and of others. */
export const REACTION_ROUTES: readonly Route[] = [
  { method: 'PUT', pattern: `${REACTIONS}/:emoji/@me`, handle: add },
  { method: 'DELETE', pattern: `${REACTIONS}/:emoji/@me`, handle: (call) => remove(call, call.core.world.bot.id) },
  { method: 'DELETE', pattern: `${REACTIONS}/:emoji/:user`, handle: (call) => remove(call, call.params.user ?? '') },
  { method: 'GET', pattern: `${REACTIONS}/:emoji`, handle: list },
];

function add(call: Call): Answer {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  const emoji = params.emoji ?? '';
  if (!botMay(core, channel, 'ReadMessageHistory')) throw refuse('missingPermissions');
  if (!/^(\p{Emoji}|.+:\d+$)/u.test(emoji)) throw refuse('unknownEmoji');
  const present = core.world.reactions.get(message.id)?.get(emoji)?.size ?? 0;
  if (present === 0) need(call, channel, 'AddReactions');
  react(core, channel, message, core.world.bot, emoji);
  return NO_CONTENT;
}

function remove(call: Call, userId: string): Answer {
  const { core, params } = call;
  const channel = channelOf(call);
  const message = messageOf(call, channel);
  if (userId !== core.world.bot.id) need(call, channel, 'ManageMessages');
  unreact(core, channel, message, core.world.user({ id: userId }), params.emoji ?? '');
  return NO_CONTENT;
}

function list(call: Call): Answer {
  const { core, params } = call;
  const message = messageOf(call, channelOf(call));
  const users = core.world.reactions.get(message.id)?.get(params.emoji ?? '') ?? [];
  return ok([...users].map((id) => userJson(core.world.user({ id }))));
}
