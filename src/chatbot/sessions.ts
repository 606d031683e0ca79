import type { Session } from '../conversation/session.js';
import type { Store } from '../conversation/store.js';

const PAGE = 100;

/** Yields every session whose id comes after `afterId`, in order of id, page by page. */
export async function* eachSession(store: Pick<Store, 'listSessions'>, afterId = ''): AsyncGenerator<Session> {
  for (let after = afterId; ; ) {
    const page = await store.listSessions(after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/**
 * Loads a session as it is stored; one that is not stored is returned as it is. A platform's event may lack the channel of a
 * thread, whose settings apply to the thread.
 */
export async function storedSession(store: Pick<Store, 'findSession'>, session: Session): Promise<Session> {
  return (await store.findSession(session.id)) ?? session;
}

export async function removeSession(store: Store, sessionId: string): Promise<void> {
  for (const thread of await store.threadsOf(sessionId)) await store.removeSession(thread.id);
  await store.removeSession(sessionId);
}

export async function removeServer(store: Store, serverId: string): Promise<void> {
  for (const session of await store.sessionsOfServer(serverId)) await store.removeSession(session.id);
  await store.removeServer(serverId);
}
