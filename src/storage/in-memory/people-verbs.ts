import type { People } from '../../conversation/people.js';
import { serverScope } from '../../conversation/session.js';
import type { Act } from './act.js';
import { drawerOf } from './drawer.js';
import { type Shelf, type Shelves, shelfOf } from './shelves.js';

/** The verbs about people. */
export function peopleVerbs(shelves: Shelves, act: Act): People {
  const { optOuts } = drawerOf(shelves);
  const key = (...parts: string[]) => JSON.stringify(parts);
  return {
    setOptOut: (scopeId, authorId, optedOut) =>
      act(() => {
        if (!optedOut) optOuts.delete(key(scopeId, authorId));
        else if (!optOuts.has(key(scopeId, authorId))) optOuts.set(key(scopeId, authorId), { told: false });
      }),
    optOut: (scopeId, authorId) =>
      act(() => {
        const known = optOuts.get(key(scopeId, authorId));
        return { optedOut: known !== undefined, told: known?.told ?? false };
      }),
    markTold: (scopeId, authorId) =>
      act(() => {
        const known = optOuts.get(key(scopeId, authorId));
        if (known !== undefined) known.told = true;
      }),
    sessionsOfAuthor: (scopeId, authorId) =>
      act(() =>
        [...shelves.bySession.values()]
          .filter((shelf) => within(shelf, scopeId) && shelf.authors.has(authorId))
          .map(({ session }) => session)
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ),
    findMessage: (sessionId, platformId) =>
      act(() => {
        const { messages } = shelfOf(shelves, sessionId);
        return messages.find((row) => row.role === 'user' && row.platformId === platformId) ?? null;
      }),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      act(() =>
        said(shelfOf(shelves, sessionId), authorId)
          .filter(({ seq }) => seq > afterSeq)
          .slice(0, limit),
      ),
  };
}

function within({ session }: Shelf, scopeId: string): boolean {
  return session.id === scopeId || (session.serverId !== null && serverScope(session.serverId) === scopeId);
}

function said(shelf: Shelf, authorId: string) {
  return shelf.messages.filter((row) => row.role === 'user' && row.authorId === authorId);
}
