import { KeepsakeError, ModelError } from '../conversation/errors.js';
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
  | { kind: 'answered'; finish: Completion['finish'] }
  | { kind: 'nothing' | 'cancelled' | 'forgotten' }
  | { kind: 'failed'; error: KeepsakeError };

/**
 * Answers what waits in a session: takes the questions, streams the answer to `deliver`, stores it before the stream
 * ends, and marks the turn answered once it is delivered. A turn that fails is marked so, and keeps its questions.
 */
export async function carryOutTurn(
  parts: Parts,
  windows: Windows,
  compaction: Compaction,
  session: Session,
  deliver: Deliver,
  call: TurnCall,
): Promise<TurnOutcome> {
  const turn = await parts.store.openTurn(session.id);
  if (turn === null) return { kind: 'nothing' };
  const answering = new Answering(parts, windows, session, turn, call);
  try {
    await deliver(answering.pieces(), turn);
    if (answering.stored === null) throw new ModelError('cancelled', 'The answer was stopped.');
    await faultStep('turn:delivered');
    if (!(await parts.store.settleTurn(turn))) return { kind: 'forgotten' };
    compaction.considerAfterTurn(session, answering.recalled, answering.stored);
    return { kind: 'answered', finish: answering.finish };
  } catch (error) {
    await parts.store
      .failTurn(turn)
      .catch((failure) => parts.logger.error({ error: failure }, 'turn not marked failed'));
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): TurnOutcome {
  if (error instanceof Forgotten) return { kind: 'forgotten' };
  if (error instanceof ModelError && error.code === 'cancelled') return { kind: 'cancelled' };
  if (error instanceof KeepsakeError) return { kind: 'failed', error };
  throw error;
}
