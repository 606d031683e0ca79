import type { ArchiveStore } from './archive.js';
import type { History, NewSummary, Reach, Summary, SummaryCheck } from './history.js';
import type { Message, NewMessage, TokenCount } from './message.js';
import type { Session } from './session.js';
import type { SettingKey, StoredSetting } from './settings.js';

/**
 * A turn in progress: the questions to answer (from the first pending one on, with the talk between them) and the `seq`
 * that is reserved for the answer, so that messages which are received meanwhile come after it.
 */
export type Turn = {
  sessionId: string;
  epoch: number;
  answerSeq: number;
  questions: Message[];
  /** The platform id of the question for which an answer is stored already; that question may have been erased since. */
  answerTo?: string;
};

/** An answer to store, in the same transaction as the token counts of its questions. */
export type Answer = {
  text: string;
  authorId: string;
  authorName: string;
  createdAt: number;
  tokens: number;
  encoding: string;
  counts: readonly TokenCount[];
};

/** Totals of one session, for reports. */
export type SessionFacts = {
  epoch: number;
  messages: number;
  /** The highest `seq` that retention has deleted; 0 when it has deleted none. */
  sweptThrough: number;
  summaries: Summary[];
};

/** The receipt of an erasure: how much was erased, and what became of the summaries over it. */
export type Erased = {
  messages: number;
  answers: number;
  summaries: number;
  /** Clean summaries that became dirty, and so await a rebuild. */
  dirtied: number;
  /**
   * The dirty summary under its new id but with its old text, when it also covers messages which retention has deleted: a
   * rebuild from rows would lose those.
   */
  unrebuildable: Summary | null;
  /** The names under which a forgotten person appeared in the session, oldest first; empty for other erasures. */
  names: string[];
};

/** A session with pending questions, and when the oldest was said, in milliseconds since 1970. */
export type PendingSession = { session: Session; oldestAt: number };

/**
 * Stores conversations. Every verb is atomic and resolves only when its effect is durable; nothing is returned that the
 * caller could change in the store by mutating it. The suite `test/storage/contract.ts` holds for every implementation.
 * @throws {StorageError} from every verb when the medium fails; nothing of that verb is stored then.
 */
export interface ConversationStore {
  /** Stores a session, or its new parent and server; a session that is stored unchanged costs one read. */
  openSession(session: Session): Promise<void>;
  /** Finds a session by its id, or null. */
  findSession(sessionId: string): Promise<Session | null>;
  /** Lists sessions in order of id after `afterId`, at most `limit`. */
  listSessions(afterId: string, limit: number): Promise<Session[]>;

  /** Stores a message once per (session, platform id, role); null when it is stored already or has a tombstone. */
  append(message: NewMessage): Promise<Message | null>;
  /** Stores several messages, all or none, and returns those that were not stored yet and have no tombstone. */
  appendAll(messages: readonly NewMessage[]): Promise<Message[]>;
  /** Stores token counts of messages that are stored already; a count of a text or quote that has changed since is ignored. */
  saveCounts(counts: readonly TokenCount[]): Promise<void>;

  /**
   * Stores the answer as `pending` (being delivered), in place of one that was not delivered. Null when the epoch was raised
   * since the turn was taken, or its last pending question was erased or answered.
   */
  storeAnswer(turn: Turn, answer: Answer): Promise<Message | null>;
  /** Marks the turn's pending questions and answer `answered`; false when the answer is gone. */
  settleTurn(turn: Turn): Promise<boolean>;
  /** Marks the turn's pending questions `failed`, and deletes an answer that was not delivered. */
  failTurn(turn: Turn): Promise<void>;
  /** Lists the sessions with pending questions, those that wait longest first. */
  pendingSessions(): Promise<PendingSession[]>;

  /** Loads the newest settled messages within the reach, before `beforeSeq` if given and before the first pending question. */
  loadHistory(sessionId: string, reach: Reach, beforeSeq?: number): Promise<History>;
  /** Loads settled messages with `afterSeq` < seq ≤ `throughSeq`, oldest first, at most `limit`. */
  loadSpan(sessionId: string, afterSeq: number, throughSeq: number, limit: number): Promise<Message[]>;
  /** Counts what is stored of a session; its cost grows with that, so no turn may ask for it. */
  sessionFacts(sessionId: string): Promise<SessionFacts>;

  /**
   * Stores a summary and moves the watermark, if epoch and revision are unchanged, `previousId` is still the newest clean
   * summary, the watermark does not move back, and no covered message is pending. Drops the dirty summaries that it reaches.
   * False when one of these checks failed; nothing was written then.
   */
  saveSummary(next: NewSummary, check: SummaryCheck): Promise<boolean>;
  /**
   * Replaces a dirty summary by a rewritten one, clean again; false when the epoch was raised, or when the summary was made
   * dirty once more, which gives it another id.
   */
  rewriteSummary(summaryId: number, next: NewSummary, epoch: number): Promise<boolean>;
  /** Deletes a summary; an unknown id is ignored. */
  dropSummary(summaryId: number): Promise<void>;

  /**
   * Replaces a message's text, and its text in quotes of it, and makes summaries over either dirty; their token counts become
   * null. False when nothing of it is stored, or nothing differs.
   */
  edit(sessionId: string, platformId: string, text: string): Promise<boolean>;
  /**
   * Erases messages by platform id, quotes of them, and answers left without a question; summaries over those become dirty.
   * Every id gets a tombstone from `at` on (milliseconds since 1970), stored or not.
   */
  erase(sessionId: string, platformIds: readonly string[], at: number): Promise<Erased>;
  /** Erases a session's messages, summaries and participants; raises its epoch. */
  forgetSession(sessionId: string): Promise<Erased>;
  /**
   * Erases what a person wrote in a session, quotes of it, and every answer to a turn they were in; raises the epoch.
   * Summaries over those become dirty; where retention has deleted rows, all do if the person ever appeared there.
   */
  forgetAuthor(sessionId: string, authorId: string): Promise<Erased>;
  /**
   * Erases the newest turn (its questions, if by `authorId` or if that is null, and its answer); raises the epoch.
   * Nothing is erased when `authorId` asked nothing in it.
   */
  forgetLast(sessionId: string, authorId: string | null): Promise<Erased>;

  /** Loads the settings of the given scopes, in no order. */
  loadSettings(scopeIds: readonly string[]): Promise<StoredSetting[]>;
  /** Stores one value of a scope, set at a time in milliseconds since 1970; undefined removes it. */
  saveSetting(scopeId: string, key: SettingKey, value: unknown, at: number): Promise<void>;

  /** Returns the lowest `seq` within a reach at a time, counting only messages created until then; null when all were. */
  reachedFrom(sessionId: string, reach: Reach, at: number): Promise<number | null>;
  /** Deletes at most `limit` settled messages that the cut allows, and stale deliveries; returns the number of rows. */
  sweep(sessionId: string, cut: SweepCut, limit: number): Promise<number>;
  /** Deletes the tombstones from a time or earlier, in milliseconds since 1970. */
  sweepTombstones(until: number): Promise<void>;

  /** Stores what is queued and closes the store; later calls reject. */
  close(): Promise<void>;
}

/** What a sweep may delete: messages covered by a summary made until `coveredUntil`, and messages below a `seq`. */
export type SweepCut = { coveredUntil: number; unreachedBelow: number | null };

/** Returns the question that an answer belongs and replies to: the last pending one. */
export function triggerOf({ questions }: Pick<Turn, 'questions'>): Message | undefined {
  return questions.findLast(({ state }) => state === 'pending');
}

/**
 * Returns the platform id by which a turn's answer is known: that of the question for which it is stored, else its trigger's,
 * else its last question's.
 */
export function triggerIdOf(turn: Pick<Turn, 'questions' | 'answerTo'>): string {
  return turn.answerTo ?? (triggerOf(turn) ?? turn.questions.at(-1))?.platformId ?? '';
}

/**
 * One platform message that shows an answer or a part of it. `answerTo` is the platform id of the question that triggered
 * the answer; `chunk` counts from 0; `messageId` is null until the platform has confirmed the message.
 */
export type Delivery = { sessionId: string; answerTo: string; chunk: number; nonce: string; messageId: string | null };

/** A turn that has not ended, with its answer (null while that is being written) and the messages that show it. */
export type UnfinishedAnswer = { turn: Turn; answer: Message | null; deliveries: Delivery[] };

/**
 * Stores which platform messages show which answer, so that none is shown twice and erasing one reaches the other. The sweep
 * deletes deliveries once neither question nor answer is stored and nothing is pending in the session.
 */
export interface DeliveryStore {
  /** Stores a chunk before it is sent, and returns it; one that is stored already keeps its nonce and message id. */
  planDelivery(delivery: Delivery): Promise<Delivery>;
  /** Stores the id of the platform message that shows a chunk. */
  confirmDelivery(sessionId: string, answerTo: string, chunk: number, messageId: string): Promise<void>;
  /** Deletes the deliveries of an answer from a chunk on. */
  dropDeliveries(sessionId: string, answerTo: string, fromChunk: number): Promise<void>;
  /** Lists the deliveries of an answer, by chunk. */
  deliveriesOf(sessionId: string, answerTo: string): Promise<Delivery[]>;
  /** Finds the platform id of the question whose answer a platform message shows, or null. */
  answeredBy(sessionId: string, messageId: string): Promise<string | null>;
  /** Erases the answer to a question, but not the question; summaries over it become dirty. */
  eraseAnswer(sessionId: string, answerTo: string): Promise<Erased>;
  /**
   * Takes the pending questions of a session into a turn, with how far their answer came; null when none is pending. Stores
   * nothing, but the `seq` that it reserves for the answer is given to no other message.
   */
  unfinishedAnswer(sessionId: string): Promise<UnfinishedAnswer | null>;
}

/** Stores people's privacy choices and finds what they wrote. A scope is a server's, or the id of a direct-message session. */
export interface PersonStore {
  /** Stores or removes a person's opt-out: their texts are not to be stored in a scope. */
  setOptOut(scopeId: string, authorId: string, optedOut: boolean, at: number): Promise<void>;
  /** Tells whether a person has opted out of a scope, and whether they were told since that they get no answer. */
  optOut(scopeId: string, authorId: string): Promise<{ optedOut: boolean; told: boolean }>;
  /** Stores that a person who has opted out was told so. */
  markTold(scopeId: string, authorId: string): Promise<void>;
  /** Lists the sessions of a scope in which a person has written or was quoted, and was not forgotten since. */
  sessionsOfAuthor(scopeId: string, authorId: string): Promise<Session[]>;
  /** Finds the message of a person by its platform id, or null. */
  findMessage(sessionId: string, platformId: string): Promise<Message | null>;
  /** Lists a person's messages in a session after a `seq`, oldest first, at most `limit`. */
  messagesOfAuthor(sessionId: string, authorId: string, afterSeq: number, limit: number): Promise<Message[]>;
}

/** Stores what is known of sessions and servers beside the conversation, and facts of the program itself. */
export interface SessionStore {
  /** Stores that the bot was addressed in a session. */
  markAddressed(sessionId: string): Promise<void>;
  /** Tells whether the bot was ever addressed in a session that was not removed since. */
  wasAddressed(sessionId: string): Promise<boolean>;
  /**
   * Tells from when on a session may have missed messages, in milliseconds since 1970: the time of its newest stored message
   * of a person, or the millisecond after its newest deleted one; null when it never held any.
   */
  missedSince(sessionId: string): Promise<number | null>;
  /** Lists the platform ids of people's messages from `fromAt` on (milliseconds since 1970), newest first, at most `limit`. */
  platformIdsSince(sessionId: string, fromAt: number, limit: number): Promise<string[]>;
  /** Lists the servers of which sessions are stored. */
  servers(): Promise<string[]>;
  /** Lists the sessions of a server. */
  sessionsOfServer(serverId: string): Promise<Session[]>;
  /** Lists the sessions of the threads of a channel. */
  threadsOf(sessionId: string): Promise<Session[]>;
  /** Erases a session with its deliveries, settings and opt-outs; raises its epoch, so that work under way cannot restore it. */
  removeSession(sessionId: string): Promise<void>;
  /** Deletes the settings and opt-outs of a server's scope. */
  removeServer(serverId: string): Promise<void>;
  /** Loads a named fact of the program, such as the hash of the registered commands; null when it was never stored. */
  loadFact(name: string): Promise<string | null>;
  /** Stores a fact; null removes it. */
  saveFact(name: string, value: string | null): Promise<void>;
}

/** The account that a model call is charged to. `day` is a UTC date such as `2026-01-31`; `authorId` is '' for summaries. */
export type Payer = { scopeId: string; authorId: string; sessionId: string; day: string };

/** Tokens that may be used a day; null is no limit. */
export type TokenLimits = { server: number | null; person: number | null };

/** Tokens used on a day, with those that are reserved by calls under way. */
export type TokensUsed = { server: number; person: number };

/** What one person used in one session on one day. */
export type UsageRow = { day: string; authorId: string; sessionId: string; tokens: number; calls: number };

/** Accounts for used tokens by day; a reservation stays charged when the process ends before it is settled. */
export interface UsageStore {
  /** Charges tokens if no limit would be passed, as one compare-and-set. Returns what was used before, and whether it charged. */
  reserve(payer: Payer, tokens: number, limits: TokenLimits): Promise<TokensUsed & { granted: boolean }>;
  /** Corrects a reservation to the actual cost of a call, and counts the call. */
  settle(payer: Payer, reserved: number, tokens: number): Promise<void>;
  /** Returns what a scope, and a person in it, have used on a day. */
  used(payer: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): Promise<TokensUsed>;
  /** Lists a scope's usage from a day on, by day. */
  account(scopeId: string, fromDay: string): Promise<UsageRow[]>;
  /** Deletes the usage of the days before one. */
  sweepUsage(beforeDay: string): Promise<void>;
}

/** Formats the UTC date of a time in milliseconds since 1970. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns the start of the UTC day after a time, both in milliseconds since 1970. */
export function startOfNextDay(at: number): number {
  return (Math.floor(at / 86_400_000) + 1) * 86_400_000;
}

/** Everything that is stored: conversations, deliveries, people's choices, sessions, settings, usage and archives. */
export type Store = ConversationStore & DeliveryStore & PersonStore & SessionStore & UsageStore & ArchiveStore;
