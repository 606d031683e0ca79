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
