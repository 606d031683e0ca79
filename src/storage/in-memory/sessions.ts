import type { Session } from '../../conversation/session.js';
import type { PendingSession } from '../../conversation/store.js';
import { type Shelves, shelfFor } from './shelves.js';

/** Records a session, or that it belongs elsewhere now. */
export function openSession(shelves: Shelves, { id, parentId, serverId }: Session): void {
  shelfFor(shelves, id).session = { id, parentId, serverId };
}

/** Sessions in order of id after `afterId`, at most `limit`. */
export function listSessions(shelves: Shelves, afterId: string, limit: number): Session[] {
  const ids = [...shelves.bySession.keys()].filter((id) => id > afterId).sort();
  return ids.slice(0, limit).flatMap((id) => shelves.bySession.get(id)?.session ?? []);
}

/** Sessions with waiting questions, and since when; those that wait longest come first. */
export function pendingSessions(shelves: Shelves): PendingSession[] {
  const waiting = [...shelves.bySession.values()].flatMap(({ session, messages }) => {
    const questions = messages.filter(({ role, state }) => role === 'user' && state === 'pending');
    if (questions.length === 0) return [];
    return [{ session, oldestAt: Math.min(...questions.map(({ createdAt }) => createdAt)) }];
  });
  return waiting.sort((a, b) => a.oldestAt - b.oldestAt || (a.session.id < b.session.id ? -1 : 1));
}
