import type { ArchiveStore } from './archive.js';
import type { History, NewSummary, Reach, Summary, SummaryCheck } from './history.js';
import type { Message, NewMessage, TokenCount } from './message.js';
import type { Session } from './session.js';
import type { SettingKey, StoredSetting } from './settings.js';

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

/** What a store holds of one session, for reports. */
export type SessionFacts = {
  epoch: number;
  messages: number;
  /** The `seq` through which retention has deleted messages; 0 when it has deleted none. */
  sweptThrough: number;
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
  sweepTombstones(until: number): Promise<void>;

  /** Ends the store; later calls reject. */
  close(): Promise<void>;
}

/** What a sweep may delete: rows covered by a summary made until a time, and rows below a `seq`. */
export type SweepCut = { coveredUntil: number; unreachedBelow: number | null };

/** The question that an answer belongs and replies to: the last one that waits. */
export function triggerOf({ questions }: Pick<Turn, 'questions'>): Message | undefined {
  return questions.findLast(({ state }) => state === 'pending');
}

/**
 * The platform id by which a turn's answer is known: that of the question which it was stored for, else its trigger's, or its
 * last question's where none waits any more.
 */
export function triggerIdOf(turn: Pick<Turn, 'questions' | 'answerTo'>): string {
  return turn.answerTo ?? (triggerOf(turn) ?? turn.questions.at(-1))?.platformId ?? '';
}

/**
 * One message in which a platform shows (a part of) an answer. `answerTo` is the platform id of the question that
 * triggered the answer; `chunk` counts from 0; `messageId` is null until the platform has confirmed it.
 */
export type Delivery = { sessionId: string; answerTo: string; chunk: number; nonce: string; messageId: string | null };

/** An answer that was being written or delivered when the process ended; `answer` is null while it was still written. */
export type UnfinishedAnswer = { turn: Turn; answer: Message | null; deliveries: Delivery[] };

/**
 * Remembers which platform messages show which answer, so that none is shown twice and erasing one reaches the other. The
 * sweep forgets it once neither question nor answer is stored and nothing waits in the session.
 */
export interface DeliveryStore {
  /** Plans a chunk before it is sent; a chunk that is planned already keeps its nonce and message id. */
  planDelivery(delivery: Delivery): Promise<Delivery>;
  /** Records the platform message that now shows a chunk. */
  confirmDelivery(sessionId: string, answerTo: string, chunk: number, messageId: string): Promise<void>;
  /** Forgets which messages show an answer from a chunk on. */
  dropDeliveries(sessionId: string, answerTo: string, fromChunk: number): Promise<void>;
  /** The deliveries of an answer, by chunk. */
  deliveriesOf(sessionId: string, answerTo: string): Promise<Delivery[]>;
  /** The question whose answer a platform message shows, or null. */
  answeredBy(sessionId: string, messageId: string): Promise<string | null>;
  /** Erases the answer to a question, which stays; summaries over it become dirty. */
  eraseAnswer(sessionId: string, answerTo: string): Promise<Erased>;
  /**
   * Takes the pending questions of a session into a turn, with how far their answer came; null when none is pending. Stores
   * nothing, but the `seq` that it reserves for the answer is given to no other message.
   */
  unfinishedAnswer(sessionId: string): Promise<UnfinishedAnswer | null>;
}

/** What people may ask for their own sake. A scope is a server's scope id, or the id of a direct-message session. */
export interface PersonStore {
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
export interface SessionStore {
  /** Records that the bot was addressed in a session. */
  markAddressed(sessionId: string): Promise<void>;
  /** Whether the bot was ever addressed in a session that was not removed since. */
  wasAddressed(sessionId: string): Promise<boolean>;
  /**
   * From when on a session may have missed what people said, in milliseconds since 1970: the time of the newest message that
   * it keeps, or the one after the newest that it keeps no more; null when it never held one.
   */
  missedSince(sessionId: string): Promise<number | null>;
  /** Platform ids of a session's questions and talk from `fromAt` on (milliseconds since 1970), at most `limit`. */
  platformIdsSince(sessionId: string, fromAt: number, limit: number): Promise<string[]>;
  /** Servers of which sessions are known. */
  servers(): Promise<string[]>;
  /** Sessions of a server. */
  sessionsOfServer(serverId: string): Promise<Session[]>;
  /** Sessions of the threads of a channel. */
  threadsOf(sessionId: string): Promise<Session[]>;
  /** Erases a session with its deliveries and settings; its epoch stays raised, so that work under way cannot bring it back. */
  removeSession(sessionId: string): Promise<void>;
  /** Removes a server's own settings and opt-outs. */
  removeServer(serverId: string): Promise<void>;
  /** A named fact of the program, such as the hash of the registered commands; null when unknown. */
  loadFact(name: string): Promise<string | null>;
  /** Writes a fact; null removes it. */
  saveFact(name: string, value: string | null): Promise<void>;
}

/** Who a call of the model is charged to. `day` is a UTC date such as `2026-01-31`; a summary is nobody's own: `authorId` is ''. */
export type Payer = { scopeId: string; authorId: string; sessionId: string; day: string };

/** The most tokens of a day; null is no limit. */
export type TokenLimits = { server: number | null; person: number | null };

/** What was used of a day, with what is reserved by calls under way. */
export type TokensUsed = { server: number; person: number };

/** One line of an account. */
export type UsageRow = { day: string; authorId: string; sessionId: string; tokens: number; calls: number };

/** Keeps account of tokens, day by day; what is reserved stays charged when the process ends before it is settled. */
export interface UsageStore {
  /** Charges tokens if no limit would be passed, in one step. @returns what was used before, and whether it was charged. */
  reserve(payer: Payer, tokens: number, limits: TokenLimits): Promise<TokensUsed & { granted: boolean }>;
  /** Corrects a charge to what a call has cost in truth, and counts the call. */
  settle(payer: Payer, reserved: number, tokens: number): Promise<void>;
  /** What a scope and a person in it have used of a day. */
  used(payer: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): Promise<TokensUsed>;
  /** A scope's account from a day on, by day, person and session. */
  account(scopeId: string, fromDay: string): Promise<UsageRow[]>;
  /** Deletes accounts before a day. */
  sweepUsage(beforeDay: string): Promise<void>;
}

/** The UTC date of a time. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** When the day after a time begins, in milliseconds since 1970. */
export function nextDay(at: number): number {
  return (Math.floor(at / 86_400_000) + 1) * 86_400_000;
}

/** All that a store keeps: the conversations, how they were delivered, what people and places are owed, and what was used. */
export type Store = ConversationStore & DeliveryStore & PersonStore & SessionStore & UsageStore & ArchiveStore;
