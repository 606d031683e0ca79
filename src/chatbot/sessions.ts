import type { Session } from '../conversation/session.js';
import type { PendingSession } from '../conversation/store.js';
import type { Dependencies } from './dependencies.js';

/** What is known of places and of the program itself, and how they are let go. */
export class PlaceVerbs {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Whether the bot was ever addressed in a session. */
  wasAddressed(sessionId: string): Promise<boolean> {
    return this.#parts.store.wasAddressed(sessionId);
  }

  /** Whether anything of a session is or was kept. */
  async isKnown(sessionId: string): Promise<boolean> {
    return (await this.#parts.store.unheardFrom(sessionId)) !== null;
  }

  /** From when on a session may have missed what people said, in milliseconds since 1970; null when it never heard any. */
  unheardFrom(sessionId: string): Promise<number | null> {
    return this.#parts.store.unheardFrom(sessionId);
  }

  /** Platform ids of what people said in a session from a time on, newest first, at most `limit`. */
  platformIdsSince(sessionId: string, fromAt: number, limit: number): Promise<string[]> {
    return this.#parts.store.platformIdsSince(sessionId, fromAt, limit);
  }

  /** Every session whose id comes after one, in order of id, page by page. */
  async *sessions(afterId = ''): AsyncGenerator<Session> {
    const page = 100;
    for (let after = afterId; ; ) {
      const found = await this.#parts.store.listSessions(after, page);
      yield* found;
      if (found.length < page) return;
      after = found.at(-1)?.id ?? after;
    }
  }

  /** Sessions in which questions wait for their answer. */
  pending(): Promise<PendingSession[]> {
    return this.#parts.store.pendingSessions();
  }

  /** Servers of which sessions are known. */
  servers(): Promise<string[]> {
    return this.#parts.store.servers();
  }

  /** Sessions of a server. */
  sessionsOf(serverId: string): Promise<Session[]> {
    return this.#parts.store.sessionsOfServer(serverId);
  }

  /** Sessions of the threads of a channel. */
  threadsOf(sessionId: string): Promise<Session[]> {
    return this.#parts.store.childrenOf(sessionId);
  }

  /** Erases a session and those of its threads, with their settings. */
  async removeSession(sessionId: string): Promise<void> {
    for (const thread of await this.#parts.store.childrenOf(sessionId))
      await this.#parts.store.removeSession(thread.id);
    await this.#parts.store.removeSession(sessionId);
  }

  /** Erases all sessions of a server, its settings and opt-outs. */
  async removeServer(serverId: string): Promise<void> {
    for (const session of await this.#parts.store.sessionsOfServer(serverId)) {
      await this.#parts.store.removeSession(session.id);
    }
    await this.#parts.store.removeServer(serverId);
  }

  /** A named fact of the program, or null. */
  fact(name: string): Promise<string | null> {
    return this.#parts.store.loadFact(name);
  }

  /** Writes a fact; null removes it. */
  saveFact(name: string, value: string | null): Promise<void> {
    return this.#parts.store.saveFact(name, value);
  }
}
