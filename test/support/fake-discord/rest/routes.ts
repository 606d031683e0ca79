import type { Route } from './call.js';
import { CDN_ROUTES } from './cdn.js';
import { CHANNEL_ROUTES } from './channels.js';
import { COMMAND_ROUTES } from './commands.js';
import { GUILD_ROUTES } from './guilds.js';
import { INTERACTION_ROUTES } from './interactions.js';
import { REMOVAL_ROUTES } from './message-removal.js';
import { MESSAGE_ROUTES } from './messages.js';
import { REACTION_ROUTES } from './reactions.js';
import { THREAD_ROUTES } from './threads.js';
import { USER_ROUTES } from './users.js';
import { WEBHOOK_ROUTES } from './webhooks.js';

/** Every endpoint of the fake; where two patterns fit, the earlier one holds. */
export const ROUTES: readonly Route[] = [
  ...CHANNEL_ROUTES,
  ...REMOVAL_ROUTES,
  ...MESSAGE_ROUTES,
  ...REACTION_ROUTES,
  ...THREAD_ROUTES,
  ...GUILD_ROUTES,
  ...USER_ROUTES,
  ...COMMAND_ROUTES,
  ...INTERACTION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...CDN_ROUTES,
];
