import type { Call, RestResponse, Route } from './call.js';
import { CHANNEL_ROUTES } from './channels.js';
import { COMMAND_ROUTES } from './commands.js';
import { GUILD_AND_USER_ROUTES } from './guilds-and-users.js';
import { INTERACTION_ROUTES } from './interactions.js';
import { MESSAGE_ROUTES } from './messages.js';

/** All endpoints; where two patterns match, the first applies. */
const ROUTES = [
  ...CHANNEL_ROUTES,
  ...MESSAGE_ROUTES,
  ...GUILD_AND_USER_ROUTES,
  ...COMMAND_ROUTES,
  ...INTERACTION_ROUTES,
  { method: 'GET', pattern: '/attachments/:channel/:file/:name', handle: downloadAttachment, withoutToken: true },
].map((route: Route) => ({ route, parts: route.pattern.split('/') }));

/** Finds the route of a method and decoded path, and the values of the pattern's parameters such as `:channel`. */
export function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
  const segments = path.split('/');
  for (const { route, parts } of ROUTES) {
    if (route.method !== method || parts.length !== segments.length) continue;
    if (!parts.every((part, at) => part.startsWith(':') || part === segments[at])) continue;
    const params = parts.flatMap((part, at) =>
      part.startsWith(':') ? [[part.slice(1), segments[at] ?? ''] as const] : [],
    );
    return { route, params: Object.fromEntries(params) };
  }
  return undefined;
}

/** Plays the CDN: attachments by their signed links, until these expire. */
function downloadAttachment({ core, params, query }: Call): RestResponse {
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
