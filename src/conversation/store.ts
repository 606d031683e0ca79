import type { History, Reach } from './history.js';
import type { Message, NewMessage, TokenCount } from './message.js';
import type { Session } from './session.js';
import type { SettingKey, StoredSetting } from './settings.js';
import type { NewSummary, Summary, SummaryCheck } from './summary.js';

/**
 * A turn in progress: the questions to be answered (from the first pending one on, with the talk between them) and the
 * `seq` that is reserved for the answer, so that what is said meanwhile comes after it.
 */
export type Turn = {
  sessionId: string;
  epoch: number;
  answerSeq: number;
  questions: Message[];
  /** The platform id of the question that its answer was stored for already, though that question may be erased by now. */
  answerTo?: string;
};

/** An answer to be stored. `counts` are those of the questions, written in the same transaction. */
export type Answer = {
  text: string;
  authorId: string;
  authorName: string;
  createdAt: number;
  tokens: number;
  encoding: string;
  counts: readonly TokenCount[];
};

/** What a store holds of one session, for reports. Times are in milliseconds since 1970. */
export type SessionFacts = {
  epoch: number;
  messages: number;
  /** The `seq` through which retention has deleted messages; 0 when it has deleted none. */
  sweptThrough: number;
  firstAt: number | null;
  lastAt: number | null;
  summaries: Summary[];
};

/** What was erased. */
export type Erased = {
  messages: number;
  answers: number;
  summaries: number;
  /** Summaries that now await a rebuild. */
  dirtied: number;
  /** A dirtied summary, as it was, that also covers messages which retention has deleted: a rebuild from rows would lose them. */
  unrebuildable: Summary | null;
  /** Every name under which a forgotten person appeared in the session, oldest first; empty for other erasures. */
  names: string[];
};

/** A session with questions that wait for an answer. */
export type PendingSession = { session: Session; oldestAt: number };

/**
 * Keeps conversations. One contract suite holds every implementation. Every verb is atomic and resolves only when its
 * effect is durable; nothing is returned that the caller could change in the store by mutating it.
 * @throws {StorageError} from every verb when the medium fails; nothing of that verb is then kept.
 */
export interface ConversationStore {
  /** Records a session, or that it belongs elsewhere now; known sessions cost one read. */
  openSession(session: Session): Promise<void>;
  /** A session by its id, or null. */
  findSession(sessionId: string): Promise<Session | null>;
  /** Sessions in order of id after `afterId`, at most `limit`. */
  listSessions(afterId: string, limit: number): Promise<Session[]>;

  /** Stores a message once per (session, platform id, role); null when it is stored already or was erased before it came. */
  append(message: NewMessage): Promise<Message | null>;
  /** Stores several messages of one session, all or none; those that are stored already are left out. */
  appendAll(messages: readonly NewMessage[]): Promise<Message[]>;
  /** Writes counts that follow their messages; one of another text or quote than is stored by now is void. */
  saveCounts(counts: readonly TokenCount[]): Promise<void>;

  /**
   * Takes the pending questions of a session into a turn; null when none is pending. Stores nothing, but the number that
   * it reserves for the answer is given to no other message.
   */
  openTurn(sessionId: string): Promise<Turn | null>;
  /** Stores the answer as `pending` (being delivered); null when the session was forgotten or its last question erased. */
  storeAnswer(turn: Turn, answer: Answer): Promise<Message | null>;
  /** Marks the turn's questions and answer `answered`; false when they are gone. */
  settleTurn(turn: Turn): Promise<boolean>;
  /** Marks the turn's questions `failed` and drops an answer that was not delivered. */
  failTurn(turn: Turn): Promise<void>;
  /** Sessions in which questions wait. */
  pendingSessions(): Promise<PendingSession[]>;

  /** The newest settled messages within the reach, before `beforeSeq` if given and before the first question that waits. */
  loadHistory(sessionId: string, reach: Reach, beforeSeq?: number): Promise<History>;
  /** Settled messages with `afterSeq` < seq ≤ `throughSeq`, oldest first, at most `limit`. */
  loadSpan(sessionId: string, afterSeq: number, throughSeq: number, limit: number): Promise<Message[]>;
  /** What is stored of a session. */
  sessionFacts(sessionId: string): Promise<SessionFacts>;

  /**
   * Stores a summary and moves the watermark, in one transaction, if epoch and revision are unchanged and `previousId`
   * is still the newest clean summary. Dirty summaries are dropped with it.
   * False when the check failed; nothing was written then.
   */
  saveSummary(next: NewSummary, check: SummaryCheck): Promise<boolean>;
  /**
   * Replaces a dirty summary's text by one that was rewritten, clean again; false when the epoch has moved on, or when it
   * was made dirty once more, which gives it another id.
   */
  rewriteSummary(summaryId: number, next: NewSummary, epoch: number): Promise<boolean>;
  /** Drops a summary for good. */
  dropSummary(summaryId: number): Promise<void>;

  /** Replaces a message's text and quotes of it; their counts are void. False when nothing of it is stored or differs. */
  edit(sessionId: string, platformId: string, text: string): Promise<boolean>;
  /** Erases messages by platform id, their quotes elsewhere, and answers left without a question; unknown ids leave tombstones. */
  erase(sessionId: string, platformIds: readonly string[], at: number): Promise<Erased>;
  /** Erases a session's messages and summaries, and who took part in it; raises its epoch. */
  forgetSession(sessionId: string): Promise<Erased>;
  /**
   * Erases what a person wrote in a session, quotes of it, and every answer to a turn they were in; raises the epoch.
   * Where retention has deleted rows, all summaries become dirty if the person ever appeared there.
   */
  forgetAuthor(sessionId: string, authorId: string): Promise<Erased>;
  /**
   * Erases the newest turn (its questions, if by `authorId` or if that is null, and its answer); raises the epoch.
   * Nothing happens when `authorId` asked nothing in it.
   */
  forgetLast(sessionId: string, authorId: string | null): Promise<Erased>;

  /** Settings of the given scopes, in no order. */
  loadSettings(scopeIds: readonly string[]): Promise<StoredSetting[]>;
  /** Sets one value of a scope, or removes it when `value` is undefined. */
  saveSetting(scopeId: string, key: SettingKey, value: unknown, at: number): Promise<void>;

  /** The lowest `seq` that a reach saw at a time, counting only messages created until then; null when it saw all. */
  reachedFrom(sessionId: string, reach: Reach, at: number): Promise<number | null>;
  /** Deletes at most `limit` settled rows: those covered by a summary made until `coveredUntil`, and those below `unreachedBelow`. */
  sweep(sessionId: string, cut: SweepCut, limit: number): Promise<number>;
  /** Deletes tombstones laid until the given time. */
  sweepTombstones(until: number): Promise<number>;

  /** Ends the store; later calls reject. */
  close(): Promise<void>;
}

/** What a sweep may delete: rows covered by a summary made until a time, and rows below a `seq`. */
export type SweepCut = { coveredUntil: number; unreachedBelow: number | null };
