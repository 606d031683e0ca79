import { BudgetError, KeepsakeError, ModelError, StorageError } from '../conversation/errors.js';
import { MESSAGE_OVERHEAD, type Message } from '../conversation/message.js';
import { type Completion, type PromptImage, type TextStream, tapStream } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import { type Turn, triggerOf, type UnfinishedAnswer } from '../conversation/store.js';
import { faultStep } from '../fault.js';
import type { Dependencies } from './dependencies.js';
import { type Recall, recall } from './recall.js';
import { chargeStream, limitsOf, nearlyUsedUp, payerOf } from './usage.js';

/** What a door may add to a turn. */
export type TurnCall = {
  signal?: AbortSignal | undefined;
  /** Awaited before the turn takes up its questions, which may still be added to. */
  ready?: (() => Promise<void>) | undefined;
  /** The pictures that belong to a turn's questions, asked for once the turn is known. */
  images?: ((turn: Turn) => readonly PromptImage[]) | undefined;
};

/** The answer was complete, but its question had been erased or its session forgotten meanwhile. */
export class TurnForgotten extends Error {}

/** One answer in the making: its prompt, its stream and its storing, which comes before the stream ends. */
class AnswerRun {
  stored: Message | null = null;
  finish: Completion['finish'] = 'stop';
  #deps: Dependencies;
  #session: Session;
  #turn: Turn;
  #call: TurnCall;
  #recalled: Recall | null = null;
  #nearly: () => Promise<'server' | 'person' | null> = async () => null;

  constructor(deps: Dependencies, session: Session, turn: Turn, call: TurnCall) {
    this.#deps = deps;
    this.#session = session;
    this.#turn = turn;
    this.#call = call;
  }

  get recalled(): Recall {
    if (this.#recalled === null) throw new Error('nothing was recalled before the answer');
    return this.#recalled;
  }

  /** Whose budget of the day this answer has brought past four fifths; to be asked once the answer is stored. */
  nearly(): Promise<'server' | 'person' | null> {
    return this.#nearly();
  }

  /** The answer in pieces; a prompt that the endpoint finds too long is shrunk and sent again, twice at most. */
  async *pieces(): AsyncGenerator<string, void, void> {
    const { questions } = this.#turn;
    const images = this.#call.images?.(this.#turn) ?? [];
    for (let shrunk = 0; ; shrunk += 1) {
      const began = performance.now();
      const recalled = await recall(this.#deps, this.#session, questions, { images });
      this.#deps.meter.time('recall', performance.now() - began);
      this.#recalled = recalled;
      let text = '';
      try {
        const completion = yield* this.#stream(recalled, (piece) => {
          text += piece;
        });
        await this.#keep(recalled, text, completion);
        return;
      } catch (error) {
        const overflow = error instanceof ModelError && error.code === 'context-overflow';
        if (!overflow || text !== '' || shrunk === 2) throw error;
        this.#deps.windows.narrow(recalled.model, error.limit);
      }
    }
  }

  async *#stream(recalled: Recall, record: (piece: string) => void): TextStream {
    const { model, settings, prompt } = recalled;
    const maxTokens = Math.min(this.#deps.options.maxAnswerTokens, Math.floor(recalled.window.contextWindow / 2));
    const limits = limitsOf(settings, this.#deps.options);
    const estimate = { prompt: promptTokens(recalled), answer: maxTokens };
    const answer = model.stream(prompt, {
      task: 'answer',
      maxTokens,
      temperature:
        settings.temperature.origin === 'default' ? this.#deps.options.temperature : settings.temperature.value,
      signal: this.#call.signal,
      metadata: { sessionId: this.#session.id, strategy: settings.strategy.value.name },
    });
    const payer = payerOf(this.#deps, this.#session, triggerOf(this.#turn)?.authorId ?? '');
    const before = limits.server === null && limits.person === null ? null : await this.#deps.store.used(payer);
    this.#nearly = async () => (before === null ? null : nearlyUsedUp(this.#deps, payer, limits, before));
    return yield* tapStream(chargeStream(this.#deps, payer, limits, estimate, answer), record);
  }

  async #keep(recalled: Recall, text: string, completion: Completion): Promise<void> {
    if (completion.finish === 'filtered')
      throw new ModelError('filtered', 'The model provider refused this content; rephrase the question.');
    this.#deps.windows.observe(recalled.model, promptTokens(recalled), completion.usage);
    this.finish = completion.finish;
    const [tokens = 0] = await this.#deps.counter.count([`${text}\n`], recalled.model.encoding);
    await faultStep('turn:before-store');
    this.stored = await this.#deps.store.storeAnswer(this.#turn, {
      text,
      authorId: 'keepsake',
      authorName: '',
      createdAt: this.#deps.clock(),
      tokens: tokens + MESSAGE_OVERHEAD,
      encoding: recalled.model.encoding,
      counts: recalled.questions.map(({ seq, tokens: count, encoding }) => ({
        seq,
        tokens: count ?? 0,
        encoding: encoding ?? '',
      })),
    });
    if (this.stored === null) throw new TurnForgotten();
    await faultStep('turn:stored');
  }
}

function promptTokens({ tokens: { persona, summary, messages, question } }: Recall): number {
  return persona + summary + messages + question;
}

/** Shows an answer as it comes; it resolves when all of it can be seen, and rejects when it could not be shown. */
export type Deliver = (pieces: AsyncIterable<string>, turn: Turn) => Promise<void>;

/** A question that was left out of its turn since its author's own budget of the day is used up. */
export type RefusedQuestion = { questionId: string; error: BudgetError };

/** How a turn ended, and which questions had to be left out of it. */
export type TurnOutcome = TurnEnding & { refused?: readonly RefusedQuestion[] };

/** How a turn ended; `nothing` means that its question was answered with an earlier one, or erased. */
type TurnEnding =
  /** `nearly` says whose budget of the day has just passed four fifths. */
  | { kind: 'answered'; finish: Completion['finish']; nearly?: 'server' | 'person' }
  /** `expired` waited longer than questions may; `parked` waits on, for a restart or a better time to show its answer. */
  | { kind: 'nothing' | 'cancelled' | 'forgotten' | 'parked' }
  | { kind: 'expired'; turn: Turn }
  | { kind: 'failed'; error: KeepsakeError };

/** Thrown by a door to leave a turn waiting: the program ends, or the platform cannot be reached. */
export class TurnParked extends Error {}

/** Counts a turn by how it ends; one that no outcome foresees counts as `broken`. */
export async function countTurn({ meter }: Dependencies, turn: Promise<TurnOutcome>): Promise<TurnOutcome> {
  try {
    const outcome = await turn;
    meter.count('turns', { outcome: outcome.kind });
    return outcome;
  } catch (error) {
    meter.count('turns', { outcome: 'broken' });
    throw error;
  }
}

/** Shows an answer, and takes the time from its last piece until all of it can be seen. */
async function timeDelivery(
  { meter }: Dependencies,
  deliver: Deliver,
  pieces: AsyncIterable<string>,
  turn: Turn,
): Promise<void> {
  let ended = performance.now();
  const watched = (async function* () {
    yield* pieces;
    ended = performance.now();
  })();
  await deliver(watched, turn);
  meter.time('delivery', performance.now() - ended);
}

/** What carrying out turns takes. */
type Work = {
  deps: Dependencies;
  session: Session;
  deliver: Deliver;
  call: TurnCall;
};

/**
 * Answers what waits in a session: takes the questions, streams the answer to `deliver`, stores it before the stream
 * ends, and marks the turn answered once it is delivered. An answer that was stored before a crash is delivered as it is.
 * A turn that fails is marked so, and keeps its questions. One whose answer was lost because somebody was forgotten
 * meanwhile is carried out once more, with the questions that are left; `deliver` is called again then.
 */
export async function runTurn(
  deps: Dependencies,
  session: Session,
  deliver: Deliver,
  call: TurnCall,
): Promise<TurnOutcome> {
  await call.ready?.();
  const unfinished = await deps.store.unfinishedAnswer(session.id);
  if (unfinished === null) return { kind: 'nothing' };
  return carryOut({ deps, session, deliver, call }, unfinished, true);
}

async function carryOut(work: Work, unfinished: UnfinishedAnswer, anew: boolean): Promise<TurnOutcome> {
  const { deps, session, deliver, call } = work;
  const { turn, answer } = unfinished;
  const deadline = AbortSignal.timeout(deps.options.turnMs);
  let answering: AnswerRun | null = null;
  let delivered = false;
  try {
    if (isTooOld(deps, unfinished)) {
      await deps.store.failTurn(turn);
      return { kind: 'expired', turn };
    }
    if (answer !== null) {
      await deliver(wholeOf(answer), turn);
      delivered = true;
      return (await deps.store.settleTurn(turn)) ? { kind: 'answered', finish: 'stop' } : { kind: 'forgotten' };
    }
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    answering = new AnswerRun(deps, session, turn, { ...call, signal });
    await timeDelivery(deps, deliver, inTime(answering.pieces(), deadline), turn);
    if (answering.stored === null) throw new ModelError('cancelled', 'The answer was stopped.');
    delivered = true;
    await faultStep('turn:delivered');
    if (!(await deps.store.settleTurn(turn))) return { kind: 'forgotten' };
    deps.compaction.considerAfterTurn(session, answering.recalled, answering.stored);
    const nearly = await answering.nearly().catch(() => null);
    return { kind: 'answered', finish: answering.finish, ...(nearly !== null && { nearly }) };
  } catch (error) {
    // What is shown, or stored while the store fails for a moment, is not taken back: it is settled later.
    const stays = delivered || ((answer ?? answering?.stored ?? null) !== null && error instanceof StorageError);
    if (error instanceof TurnParked || stays) return { kind: 'parked' };
    const rest = await withoutRefused(deps, turn, error).catch(() => null);
    if (rest !== null) {
      const outcome = await carryOut(work, rest.left, anew);
      return { ...outcome, refused: [rest.refused, ...(outcome.refused ?? [])] };
    }
    const again = error instanceof TurnForgotten && anew && call.signal?.aborted !== true;
    const left = again ? await whatIsLeft(deps, turn).catch(() => null) : null;
    if (left !== null) return carryOut(work, left, false);
    await deps.store.failTurn(turn).catch((failure) => deps.logger.error({ error: failure }, 'turn not marked failed'));
    return outcomeOf(error, deadline);
  }
}

/** The rest of a turn whose last asker has used up their own budget: others do not pay for that with silence. */
async function withoutRefused({ store }: Dependencies, turn: Turn, error: unknown) {
  const trigger = triggerOf(turn);
  if (trigger === undefined || !(error instanceof BudgetError) || error.whose !== 'person') return null;
  const theirs = turn.questions.filter(({ authorId }) => authorId === trigger.authorId);
  if (theirs.length === turn.questions.length) return null;
  await store.failTurn({ ...turn, questions: theirs });
  const left = await store.unfinishedAnswer(turn.sessionId);
  if (left === null) return null;
  const last = left.turn.questions.findLastIndex(({ state }) => state === 'pending');
  const rest = { ...left.turn, questions: left.turn.questions.slice(0, last + 1) };
  return { left: { ...left, turn: rest }, refused: { questionId: trigger.platformId, error } };
}

/** The turn again as it stands now, if a question of it waits still. */
async function whatIsLeft({ store }: Dependencies, { sessionId, questions }: Turn): Promise<UnfinishedAnswer | null> {
  const now = await store.unfinishedAnswer(sessionId);
  const waits = (id: string) => questions.some((asked) => asked.platformId === id && asked.state === 'pending');
  return now?.turn.questions.some(({ platformId }) => waits(platformId)) === true ? now : null;
}

/** A stream that the deadline breaks off was too slow; nobody has stopped it. */
async function* inTime(pieces: AsyncIterable<string>, deadline: AbortSignal): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    const late = deadline.aborted && error instanceof ModelError && error.code === 'cancelled';
    throw late ? tooSlow() : error;
  }
}

function tooSlow(): ModelError {
  return new ModelError('timeout', 'The answer took too long; ask again, or ask for less at once.');
}

async function* wholeOf({ text }: Message): AsyncGenerator<string> {
  yield text;
}

/** An answer that was shown already, even in part, is completed however old it is. */
function isTooOld(deps: Dependencies, { turn, answer, deliveries }: UnfinishedAnswer): boolean {
  if (answer !== null && deliveries.length > 0) return false;
  const waiting = answer ?? turn.questions.findLast(({ state }) => state === 'pending');
  return waiting !== undefined && deps.clock() - waiting.createdAt > deps.options.waitMs;
}

function outcomeOf(error: unknown, deadline: AbortSignal): TurnOutcome {
  if (error instanceof TurnForgotten) return { kind: 'forgotten' };
  if (error instanceof ModelError && error.code === 'cancelled') {
    return deadline.aborted ? { kind: 'failed', error: tooSlow() } : { kind: 'cancelled' };
  }
  if (error instanceof KeepsakeError) return { kind: 'failed', error };
  throw error;
}
