import { KeepsakeError, ModelError } from '../conversation/errors.js';
import type { Message } from '../conversation/message.js';
import type { Completion } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { Turn } from '../conversation/store.js';
import { faultStep } from '../fault.js';
import { Answering, Forgotten, type TurnCall } from './answering.js';
import type { Compaction } from './compaction.js';
import type { Parts } from './parts.js';
import type { Windows } from './windows.js';

/** Shows an answer as it comes; it resolves when all of it can be seen, and rejects when it could not be shown. */
export type Deliver = (pieces: AsyncIterable<string>, turn: Turn) => Promise<void>;

/** How a turn ended; `nothing` means that its question was answered with an earlier one, or erased. */
export type TurnOutcome =
  /** `nearly` says whose budget of the day has just passed four fifths. */
  | { kind: 'answered'; finish: Completion['finish']; nearly?: 'server' | 'person' }
  /** `expired` waited longer than questions may; `parked` waits on, for a restart or a better time to show its answer. */
  | { kind: 'nothing' | 'cancelled' | 'forgotten' | 'parked' }
  | { kind: 'expired'; turn: Turn }
  | { kind: 'failed'; error: KeepsakeError };

/** Thrown by a door to leave a turn waiting: the program ends, or the platform cannot be reached. */
export class Parked extends Error {}

/**
 * Answers what waits in a session: takes the questions, streams the answer to `deliver`, stores it before the stream
 * ends, and marks the turn answered once it is delivered. An answer that was stored before a crash is delivered as it is.
 * A turn that fails is marked so, and keeps its questions.
 */
export async function carryOutTurn(
  parts: Parts,
  windows: Windows,
  compaction: Compaction,
  session: Session,
  deliver: Deliver,
  call: TurnCall,
): Promise<TurnOutcome> {
  const unfinished = await parts.store.unfinishedAnswer(session.id);
  if (unfinished === null) return { kind: 'nothing' };
  const { turn, answer } = unfinished;
  const deadline = AbortSignal.timeout(parts.options.turnMs);
  try {
    if (isTooOld(parts, answer ?? turn.questions.findLast(({ state }) => state === 'pending'))) {
      await parts.store.failTurn(turn);
      return { kind: 'expired', turn };
    }
    if (answer !== null) return await deliverStored(parts, turn, answer, deliver);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    const answering = new Answering(parts, windows, session, turn, { ...call, signal });
    await deliver(answering.pieces(), turn);
    if (answering.stored === null) throw new ModelError('cancelled', 'The answer was stopped.');
    await faultStep('turn:delivered');
    if (!(await parts.store.settleTurn(turn))) return { kind: 'forgotten' };
    compaction.considerAfterTurn(session, answering.recalled, answering.stored);
    const nearly = await answering.nearly();
    return { kind: 'answered', finish: answering.finish, ...(nearly !== null && { nearly }) };
  } catch (error) {
    if (error instanceof Parked) return { kind: 'parked' };
    await parts.store
      .failTurn(turn)
      .catch((failure) => parts.logger.error({ error: failure }, 'turn not marked failed'));
    return outcomeOf(error, deadline);
  }
}

async function deliverStored(parts: Parts, turn: Turn, answer: Message, deliver: Deliver): Promise<TurnOutcome> {
  await deliver(
    (async function* () {
      yield answer.text;
    })(),
    turn,
  );
  return (await parts.store.settleTurn(turn)) ? { kind: 'answered', finish: 'stop' } : { kind: 'forgotten' };
}

function isTooOld(parts: Parts, message: Message | undefined): boolean {
  return message !== undefined && parts.clock() - message.createdAt > parts.options.waitMs;
}

function outcomeOf(error: unknown, deadline: AbortSignal): TurnOutcome {
  if (error instanceof Forgotten) return { kind: 'forgotten' };
  if (error instanceof ModelError && error.code === 'cancelled') {
    const late = new ModelError('timeout', 'The answer took too long; ask again, or ask for less at once.');
    return deadline.aborted ? { kind: 'failed', error: late } : { kind: 'cancelled' };
  }
  if (error instanceof KeepsakeError) return { kind: 'failed', error };
  throw error;
}
