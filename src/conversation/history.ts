import { MESSAGE_OVERHEAD, type Message, type Role } from './message.js';

/**
 * A summary that stands for the messages it covers. `throughSeq` is the watermark: the last `seq` it covers;
 * `fromSeq` is the first; the two times say when the covered talk took place.
 */
export type Summary = {
  id: number;
  sessionId: string;
  text: string;
  tokens: number;
  encoding: string;
  fromSeq: number;
  throughSeq: number;
  fromAt: number;
  throughAt: number;
  /** The model that wrote it. */
  model: string;
  /** True when a message that it covers was edited or erased since; what is left of it then is a mark without text. */
  dirty: boolean;
  createdAt: number;
};

/** A summary before it is stored. */
export type NewSummary = Omit<Summary, 'id' | 'dirty'>;

/** What must still hold, compared with the history that was folded, for a summary to be written. */
export type SummaryCheck = {
  epoch: number;
  revision: number;
  previousId: number | null;
  /** Delete the covered rows in the same transaction (retention of 0 days). */
  dropCovered: boolean;
};

/**
 * How far back a strategy may look, newest first. A store loads until one of the given limits is passed, so that a
 * plan can see whether it was; what is not given does not limit.
 */
export type Reach = {
  /** Read the newest clean summary, and only messages above its watermark. */
  summary: boolean;
  messages?: number;
  tokens?: number;
  /** Whole turns, counted by their answers; neighbouring answers are one turn's. */
  turns?: number;
  /** Past the limits, read on until the message before the newest turn is seen, but not beyond this many messages. */
  newestTurnWithin?: number;
};

/**
 * What a store knows of a session within a reach. `messages` are oldest first and contiguous up to the newest;
 * `complete` says that nothing stored above the watermark (or at all, without a summary) lies before them.
 */
export type History = {
  sessionId: string;
  epoch: number;
  /** Raised by every edit and erasure, so that work on an older reading can be recognised. */
  revision: number;
  summary: Summary | null;
  messages: Message[];
  complete: boolean;
  /** The highest watermark of a dirty summary above the one given: what must be folded anew. */
  dirtyThrough: number | null;
};

/**
 * Tells, message by message from the newest backwards, whether a reach has been passed. Messages without a count
 * yet weigh nothing here. Each call to the returned function takes one message and says whether to stop after it.
 */
export function reachCounter(reach: Reach): (message: Pick<Message, 'role' | 'tokens'>) => boolean {
  let messages = 0;
  let tokens = 0;
  let turns = 0;
  let newer: Role | null = null;
  let newestTurnSeen = reach.newestTurnWithin === undefined;
  return (message) => {
    messages += 1;
    tokens += message.tokens ?? MESSAGE_OVERHEAD;
    if (message.role === 'assistant' && newer !== 'assistant') turns += 1;
    if (message.role === 'assistant' && newer === 'user') newestTurnSeen = true;
    newer = message.role;
    const passed =
      messages > (reach.messages ?? Number.POSITIVE_INFINITY) ||
      tokens > (reach.tokens ?? Number.POSITIVE_INFINITY) ||
      turns > (reach.turns ?? Number.POSITIVE_INFINITY);
    return passed && (newestTurnSeen || messages >= (reach.newestTurnWithin ?? 0));
  };
}
