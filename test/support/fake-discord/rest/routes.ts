import type { Call, RestResponse, Route } from './call.js';
import { CHANNEL_ROUTES, THREAD_ROUTES } from './channels.js';
import { COMMAND_ROUTES } from './commands.js';
import { GUILD_ROUTES, USER_ROUTES } from './guilds-and-users.js';
import { INTERACTION_ROUTES, WEBHOOK_ROUTES } from './interactions.js';
import { MESSAGE_ROUTES, REACTION_ROUTES, REMOVAL_ROUTES } from './messages.js';

/** Files by their signed links, on the REST server's own address. */
const CDN_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/attachments/:channel/:file/:name', handle: download, open: true },
];

function download({ core, params, query }: Call): RestResponse {
  const file = core.world.files.get(params.file ?? '');
  const expires = Number.parseInt(query.ex ?? '0', 16) * 1000;
  if (file === undefined || file.name !== params.name || expires < core.clock.now()) {
    return { status: 404, bytes: 'This content is no longer available.', headers: { 'content-type': 'text/plain' } };
  }
  return {
    status: 200,
    bytes: file.bytes,
    headers: { 'content-type': file.contentType ?? 'application/octet-stream' },
  };
}

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

/** The route of a request and what its path names. */
type RouteMatch = { route: Route; params: Record<string, string> };

/** Finds routes by method and decoded path; patterns name their variable parts, as in `/channels/:channel`. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => RouteMatch | undefined {
  const parsed = routes.map((route) => ({ route, parts: route.pattern.split('/') }));
  return (method, path) => {
    const given = path.split('/');
    for (const { route, parts } of parsed) {
      if (route.method !== method || parts.length !== given.length) continue;
      if (!parts.every((part, at) => part.startsWith(':') || part === given[at])) continue;
      const named = parts.flatMap((part, at) =>
        part.startsWith(':') ? [[part.slice(1), given[at] ?? ''] as const] : [],
      );
      return { route, params: Object.fromEntries(named) };
    }
    return undefined;
  };
}
