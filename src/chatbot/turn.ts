import { BudgetError, KeepsakeError, ModelError, StorageError } from '../conversation/errors.js';
import { MESSAGE_OVERHEAD, type Message } from '../conversation/message.js';
import { type Completion, type PromptImage, type TextStream, tapStream } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import { type Payer, type TokenLimits, type Turn, triggerOf, type UnfinishedAnswer } from '../conversation/store.js';
import { faultStep } from '../fault.js';
import { answerLimit } from '../memory/budget.js';
import type { Dependencies } from './dependencies.js';
import { type PreparedPrompt, preparePrompt } from './prepare-prompt.js';
import { countText } from './token-counts.js';
import { chargeStream, payerOf, tokenLimitsOf, watchBudget } from './usage.js';

/**
 * Answers the pending questions of a session: takes them, recalls the memory, streams the answer to `deliver`, stores it
 * before the stream ends, and marks the turn answered once the answer is delivered. An answer that was stored before a crash
 * is delivered as it is. A turn that fails is marked so and keeps its questions. When the answer was lost because somebody
 * was forgotten meanwhile, the turn is run once more with the questions that are left; `deliver` is called again then.
 */
export async function runTurn(
  deps: Dependencies,
  session: Session,
  deliver: Deliver,
  call: TurnCall,
): Promise<TurnOutcome> {
  const { meter } = deps;
  const outcome = await takeQuestions({ deps, session, deliver, call }).catch((error) => {
    meter.count('turns', { outcome: 'broken' });
    throw error;
  });
  meter.count('turns', { outcome: outcome.kind });
  return outcome;
}

/** Options of a platform for a turn. */
export type TurnCall = {
  signal?: AbortSignal | undefined;
  /** Awaited before the turn takes its questions; until then further ones may arrive. */
  ready?: (() => Promise<void>) | undefined;
  /** Returns the pictures of a turn's questions; called once the turn is known. */
  images?: ((turn: Turn) => readonly PromptImage[]) | undefined;
};

/** Shows an answer as it comes; resolves when all of it is visible, and rejects when it could not be shown. */
export type Deliver = (pieces: AsyncIterable<string>, turn: Turn) => Promise<void>;

/** Thrown by `deliver` to leave a turn pending: the program ends, or the platform cannot be reached. */
export class TurnParkedError extends Error {}

/** The answer was complete, but its question was erased or its session forgotten meanwhile. */
export class TurnForgottenError extends Error {}

/** The outcome of a turn, and the questions that were left out of it. */
export type TurnOutcome = TurnEnding & { refused?: readonly OverBudgetQuestion[] };

/** With `nothing`, the question was answered with an earlier one, or erased. */
type TurnEnding =
  /** `budgetWarning` tells whose budget of the day has just passed four fifths. */
  | { kind: 'answered'; finish: Completion['finish']; budgetWarning?: 'server' | 'person' }
  /** `parked` stays pending, to be answered or shown later. */
  | { kind: 'nothing' | 'cancelled' | 'forgotten' | 'parked' }
  /** The question waited longer than `waitMs`. */
  | { kind: 'expired'; turn: Turn }
  | { kind: 'failed'; error: KeepsakeError };

/** A question that was left out of its turn since its author's own budget of the day is used up. */
export type OverBudgetQuestion = { questionId: string; error: BudgetError };

type TurnContext = { deps: Dependencies; session: Session; deliver: Deliver; call: TurnCall };

/** One attempt at a turn, and how far it has come. */
type Attempt = { turn: Turn; deadline: AbortSignal; progress: 'generating' | 'stored' | 'delivered' };

/** A complete answer; `budgetWarning` tells whose budget it has brought past four fifths. */
type StoredAnswer = {
  message: Message;
  prepared: PreparedPrompt;
  finish: Completion['finish'];
  budgetWarning: () => Promise<'server' | 'person' | null>;
};

/** The most times that a prompt is shrunk and sent again when the endpoint finds it too long. */
const MAX_SHRINKS = 2;

async function takeQuestions(ctx: TurnContext): Promise<TurnOutcome> {
  await ctx.call.ready?.();
  const unfinished = await ctx.deps.store.unfinishedAnswer(ctx.session.id);
  return unfinished === null ? { kind: 'nothing' } : attemptTurn(ctx, unfinished, true);
}

async function attemptTurn(ctx: TurnContext, unfinished: UnfinishedAnswer, mayRetry: boolean): Promise<TurnOutcome> {
  const { deps } = ctx;
  const { turn, answer } = unfinished;
  const deadline = AbortSignal.timeout(deps.options.turnMs);
  const attempt: Attempt = { turn, deadline, progress: answer === null ? 'generating' : 'stored' };
  try {
    if (hasExpired(deps, unfinished)) {
      await deps.store.failTurn(turn);
      return { kind: 'expired', turn };
    }
    return answer === null ? await answerTurn(ctx, attempt) : await resumeDelivery(ctx, attempt, answer);
  } catch (error) {
    return endFailedAttempt(ctx, attempt, error, mayRetry);
  }
}

/** An answer that was shown already, even in part, is completed however old it is. */
function hasExpired({ clock, options }: Dependencies, { turn, answer, deliveries }: UnfinishedAnswer): boolean {
  if (answer !== null && deliveries.length > 0) return false;
  const newest = answer ?? triggerOf(turn);
  return newest !== undefined && clock() - newest.createdAt > options.waitMs;
}

async function resumeDelivery(ctx: TurnContext, attempt: Attempt, { text }: Message): Promise<TurnOutcome> {
  const wholeText = (async function* () {
    yield text;
  })();
  await ctx.deliver(wholeText, attempt.turn);
  attempt.progress = 'delivered';
  return (await ctx.deps.store.settleTurn(attempt.turn)) ? { kind: 'answered', finish: 'stop' } : { kind: 'forgotten' };
}

async function answerTurn(ctx: TurnContext, attempt: Attempt): Promise<TurnOutcome> {
  const { deps, session } = ctx;
  const { message, prepared, finish, budgetWarning } = await deliverAnswer(ctx, attempt);
  attempt.progress = 'delivered';
  await faultStep('turn:delivered');
  if (!(await deps.store.settleTurn(attempt.turn))) return { kind: 'forgotten' };
  deps.compaction.considerAfterTurn(session, prepared, message);
  const warned = await budgetWarning().catch(() => null);
  return { kind: 'answered', finish, ...(warned !== null && { budgetWarning: warned }) };
}

/** Delivers the answer while it is generated, and times how long its display takes after its last piece. */
async function deliverAnswer(ctx: TurnContext, attempt: Attempt): Promise<StoredAnswer> {
  let answer = null as StoredAnswer | null;
  let streamedAt = performance.now();
  const pieces = (async function* () {
    answer = yield* streamAnswer(ctx, attempt);
    streamedAt = performance.now();
  })();
  await ctx.deliver(pieces, attempt.turn);
  ctx.deps.meter.time('delivery', performance.now() - streamedAt);
  // `deliver` has stopped reading before the end.
  if (answer === null) throw new ModelError('cancelled', 'The answer was stopped.');
  return answer;
}

/**
 * Streams the answer, and stores it before the stream ends: a process that is killed while the last piece is shown then finds
 * the answer at the next start, and does not ask the model again.
 */
async function* streamAnswer(ctx: TurnContext, attempt: Attempt): AsyncGenerator<string, StoredAnswer, void> {
  const { deps, session, call } = ctx;
  const images = call.images?.(attempt.turn) ?? [];
  for (let shrinks = 0; ; shrinks += 1) {
    const prepared = await preparePromptForTurn(ctx, attempt.turn, images);
    const payer = payerOf(deps, session, triggerOf(attempt.turn)?.authorId ?? '');
    const limits = tokenLimitsOf(prepared.settings, deps.options);
    let text = '';
    try {
      const budgetWarning = await watchBudget(deps, payer, limits);
      const { finish, usage } = yield* tapStream(callModel(ctx, attempt, prepared, payer, limits), (piece) => {
        text += piece;
      });
      if (finish === 'filtered')
        throw new ModelError('filtered', 'The model provider refused this content; rephrase the question.');
      deps.observedLimits.recordUsage(prepared.model, promptTokens(prepared), usage);
      return { message: await storeAnswer(ctx, attempt, prepared, text), prepared, finish, budgetWarning };
    } catch (error) {
      if (attempt.deadline.aborted && isCancelled(error)) throw tooSlow();
      const isTooLong = error instanceof ModelError && error.code === 'context-overflow';
      if (!isTooLong || text !== '' || shrinks === MAX_SHRINKS) throw error;
      deps.observedLimits.recordOverflow(prepared.model, error.limit);
    }
  }
}

async function preparePromptForTurn(
  { deps, session }: TurnContext,
  { questions }: Turn,
  images: readonly PromptImage[],
): Promise<PreparedPrompt> {
  const startedAt = performance.now();
  const prepared = await preparePrompt(deps, session, questions, { images });
  deps.meter.time('recall', performance.now() - startedAt);
  return prepared;
}

function callModel(
  { deps, session, call }: TurnContext,
  { deadline }: Attempt,
  prepared: PreparedPrompt,
  payer: Payer,
  limits: TokenLimits,
): TextStream {
  const { model, settings, prompt, modelLimits } = prepared;
  const maxTokens = answerLimit(modelLimits);
  const stream = model.stream(prompt, {
    task: 'answer',
    maxTokens,
    temperature: settings.temperature.origin === 'default' ? deps.options.temperature : settings.temperature.value,
    signal: call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]),
    metadata: { sessionId: session.id, strategy: settings.strategy.value.name },
  });
  return chargeStream(deps, payer, limits, { prompt: promptTokens(prepared), answer: maxTokens }, stream);
}

function promptTokens({ tokens: { persona, summary, messages, question } }: PreparedPrompt): number {
  return persona + summary + messages + question;
}

/** @throws {TurnForgottenError} when the session was forgotten, or the question erased, while the answer was generated. */
async function storeAnswer(
  { deps }: TurnContext,
  attempt: Attempt,
  prepared: PreparedPrompt,
  text: string,
): Promise<Message> {
  const { encoding } = prepared.model;
  const tokens = await countText(deps.counter, `${text}\n`, encoding);
  await faultStep('turn:before-store');
  const stored = await deps.store.storeAnswer(attempt.turn, {
    text,
    authorId: 'keepsake',
    authorName: '',
    createdAt: deps.clock(),
    tokens: tokens + MESSAGE_OVERHEAD,
    encoding,
    counts: prepared.questions.map((question) => ({
      seq: question.seq,
      tokens: question.tokens ?? 0,
      encoding: question.encoding ?? '',
    })),
  });
  if (stored === null) throw new TurnForgottenError();
  attempt.progress = 'stored';
  await faultStep('turn:stored');
  return stored;
}

/** Decides what becomes of a turn whose attempt failed: parked, run again with fewer questions, or failed. */
async function endFailedAttempt(
  ctx: TurnContext,
  { turn, deadline, progress }: Attempt,
  error: unknown,
  mayRetry: boolean,
): Promise<TurnOutcome> {
  const { deps, call } = ctx;
  // People have seen a delivered answer, and a stored one outlives a store that fails for a moment: neither is taken back, a
  // later turn settles it.
  const isKept = progress === 'delivered' || (progress === 'stored' && error instanceof StorageError);
  if (error instanceof TurnParkedError || isKept) return { kind: 'parked' };
  const rest = await dropRefusedQuestions(deps, turn, error).catch(() => null);
  if (rest !== null) {
    const outcome = await attemptTurn(ctx, rest.unfinished, mayRetry);
    return { ...outcome, refused: [rest.refused, ...(outcome.refused ?? [])] };
  }
  if (error instanceof TurnForgottenError && mayRetry && call.signal?.aborted !== true) {
    const unfinished = await reloadTurn(deps, turn).catch(() => null);
    if (unfinished !== null) return attemptTurn(ctx, unfinished, false);
  }
  await deps.store
    .failTurn(turn)
    .catch((failure) => deps.logger.error({ error: failure }, 'failed to mark a turn as failed'));
  return outcomeOf(error, deadline);
}

/** When the last asker has used up their own budget, the questions of the others are still answered. */
async function dropRefusedQuestions(
  { store }: Dependencies,
  turn: Turn,
  error: unknown,
): Promise<{ unfinished: UnfinishedAnswer; refused: OverBudgetQuestion } | null> {
  const trigger = triggerOf(turn);
  if (trigger === undefined || !(error instanceof BudgetError) || error.whose !== 'person') return null;
  const refused = turn.questions.filter(({ authorId }) => authorId === trigger.authorId);
  if (refused.length === turn.questions.length) return null;
  await store.failTurn({ ...turn, questions: refused });
  const unfinished = await store.unfinishedAnswer(turn.sessionId);
  if (unfinished === null) return null;
  const last = unfinished.turn.questions.findLastIndex(({ state }) => state === 'pending');
  const rest = { ...unfinished.turn, questions: unfinished.turn.questions.slice(0, last + 1) };
  return { unfinished: { ...unfinished, turn: rest }, refused: { questionId: trigger.platformId, error } };
}

/** Loads the turn as it is stored now; null when none of its questions is pending any more. */
async function reloadTurn({ store }: Dependencies, { sessionId, questions }: Turn): Promise<UnfinishedAnswer | null> {
  const unfinished = await store.unfinishedAnswer(sessionId);
  const pending = new Set(questions.filter(({ state }) => state === 'pending').map(({ platformId }) => platformId));
  return unfinished?.turn.questions.some(({ platformId }) => pending.has(platformId)) === true ? unfinished : null;
}

function outcomeOf(error: unknown, deadline: AbortSignal): TurnOutcome {
  if (error instanceof TurnForgottenError) return { kind: 'forgotten' };
  if (isCancelled(error)) return deadline.aborted ? { kind: 'failed', error: tooSlow() } : { kind: 'cancelled' };
  if (error instanceof KeepsakeError) return { kind: 'failed', error };
  throw error;
}

function isCancelled(error: unknown): boolean {
  return error instanceof ModelError && error.code === 'cancelled';
}

/** A stream that the deadline aborts was too slow; nobody has stopped it. */
function tooSlow(): ModelError {
  return new ModelError('timeout', 'The answer took too long; ask again, or ask for less at once.');
}
