import type { Pace } from './pace.js';
import type { ReplyChannel } from './reply-channel.js';

/** What is known of a chunk before it is sent: the nonce of its message, and the message if it was sent already. */
export type PlannedChunk = { nonce: string; messageId: string | null };

/** What the messages of one answer need to be sent. */
export type PosterParts = {
  channel: ReplyChannel;
  /** The message that is answered: the first message replies to it, and the stop button names it. */
  triggerId: string;
  stopLabel: string;
  pace: Pace;
  /** Plans a chunk before its first request; by default under a nonce made of the trigger and the chunk. */
  plan?: (chunk: number) => Promise<PlannedChunk>;
  /** Learns which message shows a chunk once Discord has taken it. */
  confirm?: (chunk: number, messageId: string) => Promise<void>;
  /** The pauses before what Discord did not answer is tried again, in milliseconds. */
  pausesMs?: readonly number[];
  /** Called just before the first message is sent. */
  onFirstText?: () => void;
};
