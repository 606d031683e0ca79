import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type ErrorCode, KeepsakeError } from '../conversation/errors.js';
import type { Message } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { planMemory } from '../memory/plan.js';
import type { PromptDependencies } from './dependencies.js';
import { findDueFold, foldUntilDone } from './fold.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import { eachSession } from './sessions.js';
import type { SettingsOverride } from './settings.js';

/** The state of a session's folds; times are in milliseconds since 1970. */
export type FoldState = {
  status: 'idle' | 'queued' | 'running' | 'waiting-to-retry';
  failures: number;
  retryAt: number | null;
  error: ErrorCode | null;
};

/** The time that an aborted fold has to end. */
const ABORT_GRACE_MS = 1_000;
const MAX_RETRY_DELAY_MS = 3_600_000;
const IDLE: FoldState = { status: 'idle', failures: 0, retryAt: null, error: null };

/** The folds of one session: `run` is the last one queued; `rerun` asks for another one after it. */
type Job = {
  state: FoldState;
  run: Promise<number> | null;
  retryTimer: NodeJS.Timeout | null;
  rerun: boolean;
  override: SettingsOverride;
};

/** Folds sessions in the background: one fold at a time in a session, and at most `foldsAtOnce` over all sessions. */
export class Compaction {
  readonly #deps: PromptDependencies;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #jobs = new Map<string, Job>();
  readonly #shutdown = new AbortController();

  constructor(deps: PromptDependencies) {
    this.#deps = deps;
    this.#limit = pLimit(deps.options.foldsAtOnce);
  }

  /** Queues a session when what its turn has just loaded and stored shows that a fold is due. */
  considerAfterTurn(session: Session, prepared: PreparedPrompt, answer: Message): void {
    if (this.#jobs.get(session.id)?.retryTimer != null) return;
    const messages = [...prepared.history.messages, ...prepared.questions, answer];
    const plan = planMemory({ ...prepared.history, messages }, prepared.settings.strategy.value, prepared.budget);
    if (plan.foldThrough !== null) this.enqueue(session);
  }

  /**
   * Queues a session: folds what is due and rebuilds what is dirty; while a fold runs, once more after it. `override` replaces
   * the session's settings for these folds.
   */
  enqueue(session: Session, override: SettingsOverride = {}): void {
    if (this.#shutdown.signal.aborted) return;
    const job = this.#job(session.id);
    job.override = override;
    if (job.run === null) this.#start(session, false).catch(() => {});
    else job.rerun = true;
  }

  /** Queues every session in which a fold is due; to be called once at the start. */
  async enqueueDue(): Promise<void> {
    for await (const session of eachSession(this.#deps.store)) {
      if ((await findDueFold(this.#deps, session)) !== null) this.enqueue(session);
      await setImmediate();
    }
  }

  /** Folds now, down to what the strategy keeps; resolves with the number of folds, rejects with the summarizer's error. */
  foldNow(session: Session): Promise<number> {
    return this.#start(session, true);
  }

  /** The state of a session's folds. */
  state(sessionId: string): FoldState {
    return this.#jobs.get(sessionId)?.state ?? IDLE;
  }

  /** Resolves when no fold runs or is queued, or after `ms`. */
  async settled(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, ms, 'timeout');
    });
    for (;;) {
      const runs = [...this.#jobs.values()].flatMap(({ run }) => run ?? []);
      if (runs.length === 0 || (await Promise.race([Promise.allSettled(runs), timeout])) === 'timeout') break;
    }
    clearTimeout(timer);
  }

  /** Waits up to `ms` for folds, then aborts them and starts no other one; what is due then is folded after the next start. */
  async close(ms: number): Promise<void> {
    await this.settled(ms);
    this.#shutdown.abort();
    for (const { retryTimer } of this.#jobs.values()) clearTimeout(retryTimer ?? undefined);
    await this.settled(ABORT_GRACE_MS);
  }

  #start(session: Session, forced: boolean): Promise<number> {
    const job = this.#job(session.id);
    this.#setState(job, { ...job.state, status: 'queued', retryAt: null });
    const previous = job.run ?? Promise.resolve(0);
    const run = previous.catch(() => 0).then(() => this.#limit(() => this.#fold(session, job, forced)));
    job.run = run;
    const finish = () => {
      if (job.run !== run) return;
      job.run = null;
      const rerun = job.rerun && !this.#shutdown.signal.aborted;
      job.rerun = false;
      if (rerun) this.#start(session, false).catch(() => {});
      else if (job.state.status === 'idle') this.#jobs.delete(session.id);
    };
    run.then(finish, finish);
    return run;
  }

  async #fold(session: Session, job: Job, forced: boolean): Promise<number> {
    job.state = { ...job.state, status: 'running' };
    try {
      const folds = await foldUntilDone(this.#deps, session, { forced, override: job.override }, this.#shutdown.signal);
      this.#setState(job, IDLE);
      return folds;
    } catch (error) {
      this.#deps.meter.count('folds', { outcome: 'failed' });
      this.#retryLater(session, job, error);
      throw error;
    }
  }

  #retryLater(session: Session, job: Job, error: unknown): void {
    if (this.#shutdown.signal.aborted) return;
    const { clock, logger, options } = this.#deps;
    const failures = job.state.failures + 1;
    const delay = Math.min(options.foldRetryMs * 2 ** (failures - 1), MAX_RETRY_DELAY_MS);
    const code = error instanceof KeepsakeError ? error.code : null;
    this.#setState(job, { status: 'waiting-to-retry', failures, retryAt: clock() + delay, error: code });
    logger.warn(
      { sessionId: session.id, failures, delayMs: delay, error },
      'failed to fold a session, nothing was changed',
    );
    job.rerun = false;
    job.retryTimer = setTimeout(() => {
      job.retryTimer = null;
      this.enqueue(session, job.override);
    }, delay).unref();
  }

  /** Cancels a pending retry with the change of state. */
  #setState(job: Job, state: FoldState): void {
    clearTimeout(job.retryTimer ?? undefined);
    job.retryTimer = null;
    job.state = state;
  }

  #job(sessionId: string): Job {
    const job = this.#jobs.get(sessionId) ?? { state: IDLE, run: null, retryTimer: null, rerun: false, override: {} };
    this.#jobs.set(sessionId, job);
    return job;
  }
}
