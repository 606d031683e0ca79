import type { Session } from '../conversation/session.js';
import type { PendingSession } from '../conversation/store.js';
import type { Dependencies } from './dependencies.js';

/** What is known of places and of the program itself, and how they are let go. */
export class PlaceVerbs {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Whether the bot was ever addressed in a session. */
  wasAddressed(sessionId: string): Promise<boolean> {
    return this.#deps.store.wasAddressed(sessionId);
  }

  /** Whether anything of a session is or was kept. */
  async isKnown(sessionId: string): Promise<boolean> {
    return (await this.#deps.store.missedSince(sessionId)) !== null;
  }

  /** From when on a session may have missed what people said, in milliseconds since 1970; null when it never heard any. */
  unheardFrom(sessionId: string): Promise<number | null> {
    return this.#deps.store.missedSince(sessionId);
  }

  /** Platform ids of what people said in a session from a time on, newest first, at most `limit`. */
  platformIdsSince(sessionId: string, fromAt: number, limit: number): Promise<string[]> {
    return this.#deps.store.platformIdsSince(sessionId, fromAt, limit);
  }

  /** Every session whose id comes after one, in order of id, page by page. */
  async *sessions(afterId = ''): AsyncGenerator<Session> {
    const page = 100;
    for (let after = afterId; ; ) {
      const found = await this.#deps.store.listSessions(after, page);
      yield* found;
      if (found.length < page) return;
      after = found.at(-1)?.id ?? after;
    }
  }

  /** Sessions in which questions wait for their answer. */
  pending(): Promise<PendingSession[]> {
    return this.#deps.store.pendingSessions();
  }

  /** Servers of which sessions are known. */
  servers(): Promise<string[]> {
    return this.#deps.store.servers();
  }

  /** Sessions of a server. */
  sessionsOf(serverId: string): Promise<Session[]> {
    return this.#deps.store.sessionsOfServer(serverId);
  }

  /** Sessions of the threads of a channel. */
  threadsOf(sessionId: string): Promise<Session[]> {
    return this.#deps.store.threadsOf(sessionId);
  }

  /** Erases a session and those of its threads, with their settings. */
  async removeSession(sessionId: string): Promise<void> {
    for (const thread of await this.#deps.store.threadsOf(sessionId)) await this.#deps.store.removeSession(thread.id);
    await this.#deps.store.removeSession(sessionId);
  }

  /** Erases all sessions of a server, its settings and opt-outs. */
  async removeServer(serverId: string): Promise<void> {
    for (const session of await this.#deps.store.sessionsOfServer(serverId)) {
      await this.#deps.store.removeSession(session.id);
    }
    await this.#deps.store.removeServer(serverId);
  }

  /** A named fact of the program, or null. */
  fact(name: string): Promise<string | null> {
    return this.#deps.store.loadFact(name);
  }

  /** Writes a fact; null removes it. */
  saveFact(name: string, value: string | null): Promise<void> {
    return this.#deps.store.saveFact(name, value);
  }
}
