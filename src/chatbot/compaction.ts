import pLimit from 'p-limit';
import { type ErrorCode, KeepsakeError } from '../conversation/errors.js';
import type { Message } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { planMemory } from '../memory/plan.js';
import { foldOnce } from './fold.js';
import { nextFold } from './fold-order.js';
import type { Parts } from './parts.js';
import type { Recall } from './recall.js';
import type { Windows } from './windows.js';

/** How the folding of a session stands; times are in milliseconds since 1970. */
export type FoldState = {
  status: 'idle' | 'queued' | 'running' | 'waiting-to-retry';
  failures: number;
  retryAt: number | null;
  error: ErrorCode | null;
};

/** Folds that go stale because the session keeps changing are tried this often before they wait like failed ones. */
const STALE_LIMIT = 3;
/** How long a fold that was broken off may take to end. */
const BREAK_OFF_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
const IDLE: FoldState = { status: 'idle', failures: 0, retryAt: null, error: null };

/** Folds overflow into summaries, off the reply path, one fold a session and a few at once over all of them. */
export class Compaction {
  readonly #parts: Parts;
  readonly #windows: Windows;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #states = new Map<string, FoldState>();
  readonly #running = new Map<string, Promise<number>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #end = new AbortController();

  constructor(parts: Parts, windows: Windows) {
    this.#parts = parts;
    this.#windows = windows;
    this.#limit = pLimit(parts.options.foldsAtOnce);
  }

  /** Decides, from what a turn has just read and stored, whether a fold is due, and queues it. */
  considerAfterTurn(session: Session, recalled: Recall, answer: Message): void {
    if (this.#running.has(session.id) || this.#timers.has(session.id)) return;
    const messages = [...recalled.history.messages, ...recalled.questions, answer];
    const { value } = recalled.settings.strategy;
    const plan = planMemory({ ...recalled.history, messages }, value, recalled.budget);
    if (plan.foldThrough !== null) this.enqueue(session);
  }

  /** Queues a look at a session: what is due is folded, what is dirty rebuilt. */
  enqueue(session: Session): void {
    if (!this.#end.signal.aborted && !this.#running.has(session.id)) this.#start(session, false).catch(() => {});
  }

  /** Folds now, down to what the strategy keeps; resolves with the number of folds, rejects with what the summariser said. */
  foldNow(session: Session): Promise<number> {
    return this.#start(session, true);
  }

  /** How the folding of a session stands. */
  state(sessionId: string): FoldState {
    return this.#states.get(sessionId) ?? IDLE;
  }

  /** Resolves when no fold runs or waits its turn, or after `ms`. */
  async settled(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([Promise.allSettled([...this.#running.values()]), late]);
    clearTimeout(timer);
  }

  /** Waits up to `ms` for folds, then breaks them off and starts no further one; what was due is due after the next start. */
  async close(ms: number): Promise<void> {
    await this.settled(ms);
    this.#end.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.settled(BREAK_OFF_MS);
  }

  #start(session: Session, forced: boolean): Promise<number> {
    clearTimeout(this.#timers.get(session.id));
    this.#timers.delete(session.id);
    this.#mark(session, { status: 'queued' });
    const before = this.#running.get(session.id) ?? Promise.resolve(0);
    const run = before.catch(() => 0).then(() => this.#limit(() => this.#job(session, forced)));
    this.#running.set(session.id, run);
    const done = () => this.#running.get(session.id) === run && this.#running.delete(session.id);
    run.then(done, done);
    return run;
  }

  async #job(session: Session, forced: boolean): Promise<number> {
    this.#mark(session, { status: 'running' });
    try {
      const folds = await foldAll(this.#parts, this.#windows, session, forced, this.#end.signal);
      this.#states.delete(session.id);
      return folds;
    } catch (error) {
      this.#parts.meter?.count('folds', { outcome: 'failed' });
      this.#retryLater(session, error);
      throw error;
    }
  }

  #retryLater(session: Session, error: unknown): void {
    if (this.#end.signal.aborted) return;
    const { clock, logger, options } = this.#parts;
    const failures = this.state(session.id).failures + 1;
    const pause = Math.min(options.foldRetryMs * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const code = error instanceof KeepsakeError ? error.code : null;
    this.#states.set(session.id, { status: 'waiting-to-retry', failures, retryAt: clock() + pause, error: code });
    logger.warn({ sessionId: session.id, failures, pause, error }, 'fold failed, nothing was changed');
    const retry = () => {
      this.#timers.delete(session.id);
      this.enqueue(session);
    };
    this.#timers.set(session.id, setTimeout(retry, pause).unref());
  }

  #mark(session: Session, change: Partial<FoldState>): void {
    this.#states.set(session.id, { ...this.state(session.id), ...change });
  }
}

/** Folds until nothing is due, however many calls of the summariser that takes. */
async function foldAll(parts: Parts, windows: Windows, session: Session, forced: boolean, signal: AbortSignal) {
  let folds = 0;
  let stale = 0;
  let goal = 0;
  while (!signal.aborted) {
    const order = await nextFold(parts, windows, session, forced, goal);
    if (order === null) break;
    const result = await foldOnce(parts, windows, order, signal);
    if (result === 'nothing') break;
    parts.meter?.count('folds', { outcome: result });
    goal = result === 'done' ? order.through : 0;
    if (result === 'done') folds += 1;
    else stale += 1;
    if (stale === STALE_LIMIT)
      throw new KeepsakeError('busy', 'The conversation changed while it was being summarised.');
  }
  return folds;
}
