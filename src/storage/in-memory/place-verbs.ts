import type { Places } from '../../conversation/people.js';
import { type Session, serverScope } from '../../conversation/session.js';
import type { Act } from './act.js';
import { drawerOf } from './drawer.js';
import { forgetSession } from './forget.js';
import { type Shelves, shelfOf, shelfUnheardFrom } from './shelves.js';

/** The verbs about places and the program itself. */
export function placeVerbs(shelves: Shelves, act: Act): Places {
  const drawer = drawerOf(shelves);
  return {
    markAddressed: (sessionId) => act(() => void drawer.addressed.add(sessionId)),
    wasAddressed: (sessionId) => act(() => drawer.addressed.has(sessionId)),
    unheardFrom: (sessionId) => act(() => shelfUnheardFrom(shelfOf(shelves, sessionId))),
    platformIdsSince: (sessionId, fromAt, limit) =>
      act(() =>
        said(shelves, sessionId)
          .filter(({ createdAt }) => createdAt >= fromAt)
          .reverse()
          .slice(0, limit)
          .map(({ platformId }) => platformId),
      ),
    servers: () => act(() => [...new Set(sessionsOf(shelves).flatMap(({ serverId }) => serverId ?? []))]),
    sessionsOfServer: (serverId) => act(() => sessionsOf(shelves).filter((session) => session.serverId === serverId)),
    childrenOf: (sessionId) => act(() => sessionsOf(shelves).filter(({ parentId }) => parentId === sessionId)),
    removeSession: (sessionId) =>
      act(() => {
        forgetSession(shelves, sessionId);
        const session = { id: sessionId, parentId: null, serverId: null };
        Object.assign(shelfOf(shelves, sessionId), { session, goneThrough: null });
        drawer.addressed.delete(sessionId);
        drawer.deliveries = drawer.deliveries.filter((delivery) => delivery.sessionId !== sessionId);
        stripScope(shelves, sessionId);
      }),
    removeServer: (serverId) => act(() => stripScope(shelves, serverScope(serverId))),
    loadFact: (name) => act(() => drawer.facts.get(name) ?? null),
    saveFact: (name, value) =>
      act(() => void (value === null ? drawer.facts.delete(name) : drawer.facts.set(name, value))),
  };
}

function said(shelves: Shelves, sessionId: string) {
  return shelfOf(shelves, sessionId).messages.filter(({ role }) => role === 'user');
}

function sessionsOf(shelves: Shelves): Session[] {
  return [...shelves.bySession.values()].map(({ session }) => session);
}

function stripScope(shelves: Shelves, scopeId: string): void {
  const { optOuts } = drawerOf(shelves);
  for (const [name, setting] of shelves.settings) if (setting.scopeId === scopeId) shelves.settings.delete(name);
  for (const name of optOuts.keys()) if (JSON.parse(name)[0] === scopeId) optOuts.delete(name);
}
