import type { Pings } from './mentions.js';

/** A file of a multipart request. */
export type JournalFile = { name: string; contentType: string; bytes: Buffer };

/**
 * One REST request. It enters the journal when it has been read (`outcome: 'pending'`) and is completed in place:
 * `answered`, `lost` (the work was done, the answer never arrived) or `dropped` (nothing was done, nothing answered).
 */
export type RestEntry = {
  kind: 'rest';
  n: number;
  at: number;
  endedAt: number | null;
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  files: JournalFile[];
  outcome: 'pending' | 'answered' | 'lost' | 'dropped';
  status: number | null;
  answer: unknown;
  answerHeaders: Record<string, string>;
  /** Whom the text would have notified; null where nothing was said. */
  pings: Pings | null;
  /** The kind of the fault that met this request. */
  fault: string | null;
  /** No such route in the fake: either a gap in it, or the bot asks for something that does not exist. */
  unknownRoute: boolean;
};

/** One gateway frame; `in` comes from the bot. */
export type GatewayEntry = {
  kind: 'gateway';
  n: number;
  at: number;
  direction: 'in' | 'out';
  session: string | null;
  op: number;
  t: string | null;
  s: number | null;
  d: unknown;
};

/** A gateway connection that opened or closed; `by` says who closed it. */
export type ConnectionEntry = {
  kind: 'connection';
  n: number;
  at: number;
  event: 'open' | 'close';
  code: number | null;
  by: 'bot' | 'discord' | null;
};

/** Anything that passed between the bot and the fake. `n` rises with every entry; `at` is world time in milliseconds. */
export type Entry = RestEntry | GatewayEntry | ConnectionEntry;
