import type { Route } from './call.js';

/** The route of a request and what its path names. */
export type RouteMatch = { route: Route; params: Record<string, string> };

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
