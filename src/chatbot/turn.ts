import type { UnfinishedAnswer } from '../conversation/deliveries.js';
import { BudgetError, KeepsakeError, ModelError, StorageError } from '../conversation/errors.js';
import type { Message } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import type { Turn } from '../conversation/store.js';
import { triggerOf } from '../conversation/turn.js';
import { faultStep } from '../fault.js';
import { Answering, Forgotten, type TurnCall } from './answering.js';
import type { Compaction } from './compaction.js';
import { type Deliver, Parked, type TurnOutcome } from './delivery.js';
import { timeDelivery } from './measure.js';
import type { Parts } from './parts.js';
import type { Windows } from './windows.js';

/** What carrying out turns takes. */
type Work = {
  parts: Parts;
  windows: Windows;
  compaction: Compaction;
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
export async function carryOutTurn(
  parts: Parts,
  windows: Windows,
  compaction: Compaction,
  session: Session,
  deliver: Deliver,
  call: TurnCall,
): Promise<TurnOutcome> {
  await call.ready?.();
  const unfinished = await parts.store.unfinishedAnswer(session.id);
  if (unfinished === null) return { kind: 'nothing' };
  return carryOut({ parts, windows, compaction, session, deliver, call }, unfinished, true);
}

async function carryOut(work: Work, unfinished: UnfinishedAnswer, anew: boolean): Promise<TurnOutcome> {
  const { parts, windows, compaction, session, deliver, call } = work;
  const { turn, answer } = unfinished;
  const deadline = AbortSignal.timeout(parts.options.turnMs);
  let answering: Answering | null = null;
  let delivered = false;
  try {
    if (isTooOld(parts, unfinished)) {
      await parts.store.failTurn(turn);
      return { kind: 'expired', turn };
    }
    if (answer !== null) {
      await deliver(wholeOf(answer), turn);
      delivered = true;
      return (await parts.store.settleTurn(turn)) ? { kind: 'answered', finish: 'stop' } : { kind: 'forgotten' };
    }
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    answering = new Answering(parts, windows, session, turn, { ...call, signal });
    await timeDelivery(parts, deliver, inTime(answering.pieces(), deadline), turn);
    if (answering.stored === null) throw new ModelError('cancelled', 'The answer was stopped.');
    delivered = true;
    await faultStep('turn:delivered');
    if (!(await parts.store.settleTurn(turn))) return { kind: 'forgotten' };
    compaction.considerAfterTurn(session, answering.recalled, answering.stored);
    const nearly = await answering.nearly().catch(() => null);
    return { kind: 'answered', finish: answering.finish, ...(nearly !== null && { nearly }) };
  } catch (error) {
    // What is shown, or stored while the store fails for a moment, is not taken back: it is settled later.
    const stays = delivered || ((answer ?? answering?.stored ?? null) !== null && error instanceof StorageError);
    if (error instanceof Parked || stays) return { kind: 'parked' };
    const rest = await withoutRefused(parts, turn, error).catch(() => null);
    if (rest !== null) {
      const outcome = await carryOut(work, rest.left, anew);
      return { ...outcome, refused: [rest.refused, ...(outcome.refused ?? [])] };
    }
    const again = error instanceof Forgotten && anew && call.signal?.aborted !== true;
    const left = again ? await whatIsLeft(parts, turn).catch(() => null) : null;
    if (left !== null) return carryOut(work, left, false);
    await parts.store
      .failTurn(turn)
      .catch((failure) => parts.logger.error({ error: failure }, 'turn not marked failed'));
    return outcomeOf(error, deadline);
  }
}

/** The rest of a turn whose last asker has used up their own budget: others do not pay for that with silence. */
async function withoutRefused({ store }: Parts, turn: Turn, error: unknown) {
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
async function whatIsLeft({ store }: Parts, { sessionId, questions }: Turn): Promise<UnfinishedAnswer | null> {
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
function isTooOld(parts: Parts, { turn, answer, deliveries }: UnfinishedAnswer): boolean {
  if (answer !== null && deliveries.length > 0) return false;
  const waiting = answer ?? turn.questions.findLast(({ state }) => state === 'pending');
  return waiting !== undefined && parts.clock() - waiting.createdAt > parts.options.waitMs;
}

function outcomeOf(error: unknown, deadline: AbortSignal): TurnOutcome {
  if (error instanceof Forgotten) return { kind: 'forgotten' };
  if (error instanceof ModelError && error.code === 'cancelled') {
    return deadline.aborted ? { kind: 'failed', error: tooSlow() } : { kind: 'cancelled' };
  }
  if (error instanceof KeepsakeError) return { kind: 'failed', error };
  throw error;
}
