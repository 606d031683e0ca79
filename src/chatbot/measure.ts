import type { Turn } from '../conversation/store.js';
import type { Deliver, TurnOutcome } from './delivery.js';
import type { Parts } from './parts.js';

/** Counts a turn by how it ends; one that no outcome foresees counts as `broken`. */
export async function countTurn({ meter }: Parts, turn: Promise<TurnOutcome>): Promise<TurnOutcome> {
  try {
    const outcome = await turn;
    meter?.count('turns', { outcome: outcome.kind });
    return outcome;
  } catch (error) {
    meter?.count('turns', { outcome: 'broken' });
    throw error;
  }
}

/** Shows an answer, and takes the time from its last piece until all of it can be seen. */
export async function timeDelivery(
  { meter }: Parts,
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
  meter?.time('delivery', performance.now() - ended);
}
