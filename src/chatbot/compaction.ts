import pLimit from 'p-limit';
import { type ErrorCode, KeepsakeError } from '../conversation/errors.js';
import type { Message } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { planMemory } from '../memory/plan.js';
import type { RecallDependencies } from './dependencies.js';
import { foldAll } from './fold.js';
import type { Recall } from './recall.js';
import type { SettingsOverride } from './settings.js';

/** How the folding of a session stands; times are in milliseconds since 1970. */
export type FoldState = {
  status: 'idle' | 'queued' | 'running' | 'waiting-to-retry';
  failures: number;
  retryAt: number | null;
  error: ErrorCode | null;
};

/** How long a fold that was broken off may take to end. */
const BREAK_OFF_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
const IDLE: FoldState = { status: 'idle', failures: 0, retryAt: null, error: null };

/** What is known of a session's folds: the last one queued, what it waits for, and whether to look once more after it. */
type Job = {
  state: FoldState;
  run: Promise<number> | null;
  timer: NodeJS.Timeout | null;
  again: boolean;
  override: SettingsOverride;
};

/** Folds overflow into summaries, off the reply path, one fold a session and a few at once over all of them. */
export class Compaction {
  readonly #deps: RecallDependencies;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #jobs = new Map<string, Job>();
  readonly #end = new AbortController();

  constructor(deps: RecallDependencies) {
    this.#deps = deps;
    this.#limit = pLimit(deps.options.foldsAtOnce);
  }

  /** Decides, from what a turn has just read and stored, whether a fold is due, and queues it. */
  considerAfterTurn(session: Session, recalled: Recall, answer: Message): void {
    if (this.#jobs.get(session.id)?.timer != null) return;
    const messages = [...recalled.history.messages, ...recalled.questions, answer];
    const { value } = recalled.settings.strategy;
    const plan = planMemory({ ...recalled.history, messages }, value, recalled.budget);
    if (plan.foldThrough !== null) this.enqueue(session);
  }

  /**
   * Queues a session: what is due is folded, what is dirty rebuilt; while a fold runs, once more after it. `override` replaces
   * the session's settings for that.
   */
  enqueue(session: Session, override: SettingsOverride = {}): void {
    if (this.#end.signal.aborted) return;
    const job = this.#job(session.id);
    job.override = override;
    if (job.run === null) this.#start(session, false).catch(() => {});
    else job.again = true;
  }

  /** Folds now, down to what the strategy keeps; resolves with the number of folds, rejects with what the summariser said. */
  foldNow(session: Session): Promise<number> {
    return this.#start(session, true);
  }

  /** How the folding of a session stands. */
  state(sessionId: string): FoldState {
    return this.#jobs.get(sessionId)?.state ?? IDLE;
  }

  /** Resolves when no fold runs or waits its turn, or after `ms`. */
  async settled(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, ms, 'late');
    });
    for (;;) {
      const runs = [...this.#jobs.values()].flatMap(({ run }) => run ?? []);
      if (runs.length === 0 || (await Promise.race([Promise.allSettled(runs), late])) === 'late') break;
    }
    clearTimeout(timer);
  }

  /** Waits up to `ms` for folds, then breaks them off and starts no further one; what was due is due after the next start. */
  async close(ms: number): Promise<void> {
    await this.settled(ms);
    this.#end.abort();
    for (const { timer } of this.#jobs.values()) clearTimeout(timer ?? undefined);
    await this.settled(BREAK_OFF_MS);
  }

  #start(session: Session, forced: boolean): Promise<number> {
    const job = this.#job(session.id);
    this.#rest(job, { ...job.state, status: 'queued', retryAt: null });
    const before = job.run ?? Promise.resolve(0);
    const run = before.catch(() => 0).then(() => this.#limit(() => this.#fold(session, job, forced)));
    job.run = run;
    const done = () => {
      if (job.run !== run) return;
      job.run = null;
      const again = job.again && !this.#end.signal.aborted;
      job.again = false;
      if (again) this.#start(session, false).catch(() => {});
      else if (job.state.status === 'idle') this.#jobs.delete(session.id);
    };
    run.then(done, done);
    return run;
  }

  async #fold(session: Session, job: Job, forced: boolean): Promise<number> {
    job.state = { ...job.state, status: 'running' };
    try {
      const folds = await foldAll(this.#deps, session, { forced, override: job.override }, this.#end.signal);
      this.#rest(job, IDLE);
      return folds;
    } catch (error) {
      this.#deps.meter.count('folds', { outcome: 'failed' });
      this.#retryLater(session, job, error);
      throw error;
    }
  }

  #retryLater(session: Session, job: Job, error: unknown): void {
    if (this.#end.signal.aborted) return;
    const { clock, logger, options } = this.#deps;
    const failures = job.state.failures + 1;
    const pause = Math.min(options.foldRetryMs * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const code = error instanceof KeepsakeError ? error.code : null;
    this.#rest(job, { status: 'waiting-to-retry', failures, retryAt: clock() + pause, error: code });
    logger.warn({ sessionId: session.id, failures, pause, error }, 'fold failed, nothing was changed');
    job.again = false;
    job.timer = setTimeout(() => {
      job.timer = null;
      this.enqueue(session, job.override);
    }, pause).unref();
  }

  /** Gives a job another state; no earlier pause goes on. */
  #rest(job: Job, state: FoldState): void {
    clearTimeout(job.timer ?? undefined);
    job.timer = null;
    job.state = state;
  }

  #job(sessionId: string): Job {
    const job = this.#jobs.get(sessionId) ?? { state: IDLE, run: null, timer: null, again: false, override: {} };
    this.#jobs.set(sessionId, job);
    return job;
  }
}
