import type { UserMessage } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings, SettingKey, StrategyName } from '../conversation/settings.js';
import type { DeliveryStore } from '../conversation/store.js';
import { ArchiveVerbs } from './archive.js';
import type { OptionValues } from './commands.js';
import { Compaction } from './compaction.js';
import type { Dependencies } from './dependencies.js';
import {
  type Edit,
  editStoredMessage,
  erasePlatformMessages,
  type ForgetOrder,
  type ForgetReceipt,
  forget,
  PeopleVerbs,
} from './erasure.js';
import { ContextWindows } from './recall.js';
import { BackgroundCounter, type Received, type ReceiveMode, receive } from './receive.js';
import { type MemoryReport, reportMemory } from './report.js';
import { resumeFolds, sweepAfterTurn, sweepAll } from './retention.js';
import { SessionQueue } from './session-queue.js';
import { PlaceVerbs } from './sessions.js';
import { keepsSummary, saveSetting, settingsFor } from './settings.js';
import { changeStrategy, type StrategyChange } from './strategy-change.js';
import { countTurn, type Deliver, runTurn, type TurnCall, type TurnOutcome } from './turn.js';
import { AccountVerbs } from './usage.js';

/** The verbs of all doors: one turn at a time in a session, sessions side by side, folds behind the replies. */
export class Chatbot {
  /** What people may ask for their own sake. */
  readonly people: PeopleVerbs;
  /** What is known of places and of the program itself. */
  readonly places: PlaceVerbs;
  /** Moving a whole memory between sessions and hosts. */
  readonly archives: ArchiveVerbs;
  /** What models cost. */
  readonly accounts: AccountVerbs;
  /** Which platform messages show which answer. */
  readonly deliveries: DeliveryStore;
  readonly #deps: Dependencies;
  readonly #windows: ContextWindows;
  readonly #queue: SessionQueue;
  readonly #compaction: Compaction;
  readonly #counts: BackgroundCounter;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#windows = new ContextWindows(deps.clock);
    this.#queue = new SessionQueue(deps.meter);
    this.#compaction = new Compaction(deps, this.#windows);
    this.#counts = new BackgroundCounter(deps);
    this.people = new PeopleVerbs(deps, this.#compaction);
    this.places = new PlaceVerbs(deps);
    this.accounts = new AccountVerbs(deps);
    this.archives = new ArchiveVerbs(deps, this.#compaction);
    this.deliveries = deps.store;
  }

  /** Stores what was said, before anything waits, as the session's settings and `how` say. @throws as `hear` does. */
  async receive(message: UserMessage, how: ReceiveMode = 'normal'): Promise<Received> {
    const heard = await receive(this.#deps, message, how);
    if (heard.kind === 'stored' && !heard.toAnswer) this.#counts.add(heard.message);
    return heard;
  }

  /** Answers what waits in a session once its earlier turns have ended; what arrived meanwhile is answered with it. */
  answer(session: Session, deliver: Deliver, call: TurnCall = {}): Promise<TurnOutcome> {
    return this.#queue.run(session.id, () => {
      const turn = runTurn(this.#deps, this.#windows, this.#compaction, session, deliver, call);
      return countTurn(this.#deps, turn).finally(() => sweepAfterTurn(this.#deps, session));
    });
  }

  /** How many turns of a session run or wait. */
  waiting(sessionId: string): number {
    return this.#queue.waiting(sessionId);
  }

  /** Replaces a remembered message's text, or erases it where its author has opted out. False when nothing changed. */
  edit(session: Session, edit: Edit): Promise<boolean> {
    return editStoredMessage(this.#deps, this.#compaction, session, edit);
  }

  /** Erases what these platform messages hold, questions or shown answers, with all that was derived of them. */
  erase(session: Session, platformIds: readonly string[]): Promise<void> {
    return erasePlatformMessages(this.#deps, this.#compaction, session, platformIds);
  }

  /** Forgets a session, a person in it, or its newest turn. */
  forget(session: Session, order: ForgetOrder): Promise<ForgetReceipt> {
    return forget(this.#deps, this.#compaction, session, order);
  }

  /** The settings in force for a session, each with where it was set. */
  settings(session: Session): Promise<ResolvedSettings> {
    return settingsFor(this.#deps.store, session, this.#deps.options);
  }

  /** Sets one value in a scope, or removes it there (`undefined`). */
  set(scopeId: string, key: SettingKey, value: unknown): Promise<void> {
    return saveSetting(this.#deps, scopeId, key, value);
  }

  /**
   * Sets a scope's strategy (`inherit` removes it), and tells what the next request of the session carries before and after.
   * @throws {CommandError} when the options do not fit; the old strategy stands.
   */
  async setStrategy(
    session: Session,
    scopeId: string,
    name: StrategyName | 'inherit',
    given: OptionValues,
  ): Promise<StrategyChange> {
    const change = await changeStrategy(this.#deps, this.#windows, session, scopeId, name, given);
    this.#compaction.enqueue(session);
    return change;
  }

  /** What the next request of a session would carry, and why. */
  report(session: Session): Promise<MemoryReport> {
    return reportMemory(this.#deps, this.#windows, this.#compaction, session);
  }

  /** Folds now, down to what the strategy keeps; null under strategies that do not summarise. */
  async summarize(session: Session): Promise<number | null> {
    return keepsSummary(await this.settings(session)) ? this.#compaction.foldNow(session) : null;
  }

  /** Deletes what retention no longer keeps, in every session; resolves with the number of rows. */
  sweep(): Promise<number> {
    return sweepAll(this.#deps);
  }

  /** Takes up the folds that are due though no turn has asked for them. */
  resume(): Promise<void> {
    return resumeFolds(this.#deps, this.#windows, this.#compaction);
  }

  /** Resolves when no fold runs or waits its turn, or after `ms`. */
  folded(ms: number): Promise<void> {
    return this.#compaction.settled(ms);
  }

  /** Waits up to `ms` for folds that run, breaks off the others, and waits for counts under way. */
  async close(ms: number): Promise<void> {
    await this.#compaction.close(ms);
    await this.#counts.settled();
  }
}
