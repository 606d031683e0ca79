import type { Message, UserMessage } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { type ResolvedSettings, type SettingKey, type StrategyName, usesSummary } from '../conversation/settings.js';
import type { ConversationStore, DeliveryStore, PersonStore, SessionStore } from '../conversation/store.js';
import { Archives } from './archive.js';
import type { OptionValues } from './commands.js';
import { type BaseDependencies, createDependencies, type Dependencies } from './dependencies.js';
import {
  type Edit,
  editStoredMessage,
  erasePerson,
  erasePlatformMessages,
  exportPerson,
  type ForgetOrder,
  type ForgetReceipt,
  forget,
  type Person,
} from './erasure.js';
import { type Received, type ReceiveMode, receive } from './receive.js';
import { type MemoryReport, reportMemory } from './report.js';
import { sweepAfterTurn, sweepAll } from './retention.js';
import { SessionQueue } from './session-queue.js';
import { eachSession, removeServer, removeSession } from './sessions.js';
import { saveSetting, settingsFor } from './settings.js';
import { changeStrategy, type StrategyChangeReport } from './strategy-change.js';
import { BackgroundCounter } from './token-counts.js';
import { type Deliver, runTurn, type TurnCall, type TurnOutcome } from './turn.js';
import { Accounts } from './usage.js';

/** Queries of the store; sessions are removed through the chatbot, since that takes several calls of the store. */
type Sessions = Omit<SessionStore, 'removeSession' | 'removeServer'> & Pick<ConversationStore, 'pendingSessions'>;

/** The operations of all platforms: one turn at a time in a session, sessions in parallel, folds in the background. */
export class Chatbot {
  readonly sessions: Sessions;
  readonly people: PersonStore;
  readonly deliveries: DeliveryStore;
  /** Exports and imports of whole sessions. */
  readonly archives: Archives;
  /** Budgets, and the tokens that were used. */
  readonly accounts: Accounts;
  readonly #deps: Dependencies;
  readonly #queue: SessionQueue;
  readonly #counter: BackgroundCounter;

  constructor(base: BaseDependencies) {
    const deps = createDependencies(base);
    this.#deps = deps;
    this.#queue = new SessionQueue(deps.meter);
    this.#counter = new BackgroundCounter(deps);
    this.accounts = new Accounts(deps);
    this.archives = new Archives(deps);
    this.sessions = deps.store;
    this.people = deps.store;
    this.deliveries = deps.store;
  }

  /**
   * Stores a received message as the session's settings and `mode` say.
   * @throws {CommandError} `empty-question` when the bot is addressed with nothing.
   */
  async receive(message: UserMessage, mode: ReceiveMode = 'normal'): Promise<Received> {
    const received = await receive(this.#deps, message, mode);
    if (received.kind === 'stored' && !received.toAnswer) this.#counter.add(received.message);
    return received;
  }

  /** Answers the pending questions of a session after its earlier turns; those that arrived meanwhile are answered together. */
  answer(session: Session, deliver: Deliver, call: TurnCall = {}): Promise<TurnOutcome> {
    return this.#queue.run(session.id, () =>
      runTurn(this.#deps, session, deliver, call).finally(() => sweepAfterTurn(this.#deps, session)),
    );
  }

  /** Counts the turns of a session that run or wait. */
  waiting(sessionId: string): number {
    return this.#queue.waiting(sessionId);
  }

  /** Replaces a stored message's text, or erases it where its author has opted out. False when nothing changed. */
  edit(session: Session, edit: Edit): Promise<boolean> {
    return editStoredMessage(this.#deps, session, edit);
  }

  /** Erases the questions and the shown answers with these platform ids, and everything derived from them. */
  erase(session: Session, platformIds: readonly string[]): Promise<void> {
    return erasePlatformMessages(this.#deps, session, platformIds);
  }

  /** Forgets a session, a person in it, or its newest turn. */
  forget(session: Session, order: ForgetOrder): Promise<ForgetReceipt> {
    return forget(this.#deps, session, order);
  }

  /** Yields everything that a person has written in a scope, session by session, oldest first. */
  exportPerson(scopeId: string, authorId: string): AsyncGenerator<Message> {
    return exportPerson(this.#deps, scopeId, authorId);
  }

  /** Forgets a person in every session of a scope; the receipt sums up what was erased. */
  erasePerson(scopeId: string, person: Person): Promise<ForgetReceipt> {
    return erasePerson(this.#deps, scopeId, person);
  }

  /** Yields every session whose id comes after `afterId`, in order of id. */
  eachSession(afterId = ''): AsyncGenerator<Session> {
    return eachSession(this.#deps.store, afterId);
  }

  /** Erases a session and those of its threads, with their settings. */
  removeSession(sessionId: string): Promise<void> {
    return removeSession(this.#deps.store, sessionId);
  }

  /** Erases all sessions of a server, its settings and opt-outs. */
  removeServer(serverId: string): Promise<void> {
    return removeServer(this.#deps.store, serverId);
  }

  /** Resolves the settings in force for a session, each with the scope that set it. */
  settings(session: Session): Promise<ResolvedSettings> {
    return settingsFor(this.#deps.store, session, this.#deps.options);
  }

  /** Sets one value in a scope, or removes it there (`undefined`). */
  set(scopeId: string, key: SettingKey, value: unknown): Promise<void> {
    return saveSetting(this.#deps, scopeId, key, value);
  }

  /**
   * Sets a scope's strategy (`inherit` removes it), and measures the session's next request before and after.
   * @throws {CommandError} when an option is wrong; the old strategy stays.
   */
  async setStrategy(
    session: Session,
    scopeId: string,
    name: StrategyName | 'inherit',
    options: OptionValues,
  ): Promise<StrategyChangeReport> {
    const change = await changeStrategy(this.#deps, session, scopeId, name, options);
    this.#deps.compaction.enqueue(session);
    return change;
  }

  /** Reports what the next request of a session would send, and why. */
  report(session: Session): Promise<MemoryReport> {
    return reportMemory(this.#deps, session);
  }

  /** Folds now, down to what the strategy keeps; null under strategies without a summary. */
  async summarize(session: Session): Promise<number | null> {
    const { strategy } = await this.settings(session);
    return usesSummary(strategy.value) ? this.#deps.compaction.foldNow(session) : null;
  }

  /** Deletes what retention no longer keeps, in every session; resolves with the number of rows. */
  sweep(): Promise<number> {
    return sweepAll(this.#deps);
  }

  /** Queues every session in which a fold is due. */
  resume(): Promise<void> {
    return this.#deps.compaction.enqueueDue();
  }

  /** Resolves when no fold runs or is queued, or after `ms` milliseconds. */
  folded(ms: number): Promise<void> {
    return this.#deps.compaction.settled(ms);
  }

  /** Waits up to `ms` milliseconds for folds, aborts those that still run, and waits for counts in progress. */
  async close(ms: number): Promise<void> {
    await this.#deps.compaction.close(ms);
    await this.#counter.settled();
  }
}
