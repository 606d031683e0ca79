import type { Message } from './message.js';
import type { Session } from './session.js';

/** What people may ask for their own sake. A scope is a server's scope id, or the id of a direct-message session. */
export interface People {
  /** Records that a person's texts are not to be kept in a scope, or may be again. */
  setOptOut(scopeId: string, authorId: string, optedOut: boolean, at: number): Promise<void>;
  /** Whether a person has opted out of a scope, and whether they were told so since. */
  optOut(scopeId: string, authorId: string): Promise<{ optedOut: boolean; told: boolean }>;
  /** Records that a person was told why they get no answer. */
  markTold(scopeId: string, authorId: string): Promise<void>;
  /** Sessions of a scope in which a person has written or was quoted, and was not forgotten since. */
  sessionsOfAuthor(scopeId: string, authorId: string): Promise<Session[]>;
  /** What a person has written under a platform id, or null. */
  findMessage(sessionId: string, platformId: string): Promise<Message | null>;
  /** What a person has written in a session after a `seq`, oldest first, at most `limit`. */
  messagesOfAuthor(sessionId: string, authorId: string, afterSeq: number, limit: number): Promise<Message[]>;
}

/** What is known of places and of the program itself. */
export interface Places {
  /** Records that the bot was addressed in a session. */
  markAddressed(sessionId: string): Promise<void>;
  /** Whether the bot was ever addressed in a session that was not removed since. */
  wasAddressed(sessionId: string): Promise<boolean>;
  /**
   * From when on a session may have missed what people said, in milliseconds since 1970: the time of the newest message that
   * it keeps, or the one after the newest that it keeps no more; null when it never held one.
   */
  unheardFrom(sessionId: string): Promise<number | null>;
  /** Platform ids of a session's questions and talk from `fromAt` on (milliseconds since 1970), at most `limit`. */
  platformIdsSince(sessionId: string, fromAt: number, limit: number): Promise<string[]>;
  /** Servers of which sessions are known. */
  servers(): Promise<string[]>;
  /** Sessions of a server. */
  sessionsOfServer(serverId: string): Promise<Session[]>;
  /** Sessions of the threads of a channel. */
  childrenOf(sessionId: string): Promise<Session[]>;
  /** Erases a session with its deliveries and settings; its epoch stays raised, so that work under way cannot bring it back. */
  removeSession(sessionId: string): Promise<void>;
  /** Removes a server's own settings and opt-outs. */
  removeServer(serverId: string): Promise<void>;
  /** A named fact of the program, such as the hash of the registered commands; null when unknown. */
  loadFact(name: string): Promise<string | null>;
  /** Writes a fact; null removes it. */
  saveFact(name: string, value: string | null): Promise<void>;
}
