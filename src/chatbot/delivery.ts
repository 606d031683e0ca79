import type { BudgetError, KeepsakeError } from '../conversation/errors.js';
import type { Completion } from '../conversation/model.js';
import type { Turn } from '../conversation/store.js';

/** Shows an answer as it comes; it resolves when all of it can be seen, and rejects when it could not be shown. */
export type Deliver = (pieces: AsyncIterable<string>, turn: Turn) => Promise<void>;

/** A question that was left out of its turn since its author's own budget of the day is used up. */
export type Refused = { questionId: string; error: BudgetError };

/** How a turn ended, and which questions had to be left out of it. */
export type TurnOutcome = TurnEnding & { refused?: readonly Refused[] };

/** How a turn ended; `nothing` means that its question was answered with an earlier one, or erased. */
type TurnEnding =
  /** `nearly` says whose budget of the day has just passed four fifths. */
  | { kind: 'answered'; finish: Completion['finish']; nearly?: 'server' | 'person' }
  /** `expired` waited longer than questions may; `parked` waits on, for a restart or a better time to show its answer. */
  | { kind: 'nothing' | 'cancelled' | 'forgotten' | 'parked' }
  | { kind: 'expired'; turn: Turn }
  | { kind: 'failed'; error: KeepsakeError };

/** Thrown by a door to leave a turn waiting: the program ends, or the platform cannot be reached. */
export class Parked extends Error {}
