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
  /** True when a message that it covers was edited or erased since; a dirty summary is a marker without text. */
  dirty: boolean;
  createdAt: number;
};

/** A summary before it is stored. */
export type NewSummary = Omit<Summary, 'id' | 'dirty'>;

/** The compare-and-set condition of a summary: it is written only if the folded history is still the stored one. */
export type SummaryCheck = {
  epoch: number;
  revision: number;
  previousId: number | null;
  /** Delete the covered rows in the same transaction (retention of 0 days). */
  dropCovered: boolean;
};

/**
 * Limits of how far back a strategy looks, newest first. A store loads until one of the limits is passed, so that a plan can see
 * whether it was; an absent limit does not limit.
 */
export type Reach = {
  /** Load the newest clean summary, and only messages above its watermark. */
  summary: boolean;
  messages?: number;
  tokens?: number;
  /** Whole turns, counted by their answers; neighbouring answers are one turn's. */
  turns?: number;
  /** Past the limits, load on until the message before the newest turn is seen, but not beyond this many messages. */
  newestTurnWithin?: number;
};

/**
 * The stored part of a session within a reach. `messages` are oldest first and contiguous up to the newest;
 * `complete` says that nothing stored above the watermark (or at all, without a summary) lies before them.
 */
export type History = {
  sessionId: string;
  epoch: number;
  /** Raised by every edit and erasure, so that a result from older rows can be recognized. */
  revision: number;
  summary: Summary | null;
  messages: Message[];
  complete: boolean;
  /** The highest watermark of a dirty summary above `summary`: rows up to it must be folded again. */
  dirtyThrough: number | null;
};

/**
 * Creates a function that is called with each message from the newest backwards and returns whether to stop after it,
 * since the reach has been passed. A message without a count yet counts for its overhead only.
 */
export function createReachCounter(reach: Reach): (message: Pick<Message, 'role' | 'tokens'>) => boolean {
  let messages = 0;
  let tokens = 0;
  let turns = 0;
  let newerRole: Role | null = null;
  let newestTurnSeen = reach.newestTurnWithin === undefined;
  return (message) => {
    messages += 1;
    tokens += message.tokens ?? MESSAGE_OVERHEAD;
    if (message.role === 'assistant' && newerRole !== 'assistant') turns += 1;
    if (message.role === 'assistant' && newerRole === 'user') newestTurnSeen = true;
    newerRole = message.role;
    const passed =
      messages > (reach.messages ?? Number.POSITIVE_INFINITY) ||
      tokens > (reach.tokens ?? Number.POSITIVE_INFINITY) ||
      turns > (reach.turns ?? Number.POSITIVE_INFINITY);
    return passed && (newestTurnSeen || messages >= (reach.newestTurnWithin ?? 0));
  };
}
