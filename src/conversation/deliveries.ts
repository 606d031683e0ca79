import type { Message } from './message.js';
import type { Erased, Turn } from './store.js';

/**
 * One message in which a platform shows (a part of) an answer. `answerTo` is the platform id of the question that
 * triggered the answer; `chunk` counts from 0; `messageId` is null until the platform has confirmed it.
 */
export type Delivery = { sessionId: string; answerTo: string; chunk: number; nonce: string; messageId: string | null };

/** An answer that was being written or delivered when the process ended; `answer` is null while it was still written. */
export type UnfinishedAnswer = { turn: Turn; answer: Message | null; deliveries: Delivery[] };

/**
 * Remembers which platform messages show which answer, so that none is shown twice and erasing one reaches the other. The
 * sweep forgets it once neither question nor answer is stored and nothing waits in the session.
 */
export interface Deliveries {
  /** Plans a chunk before it is sent; a chunk that is planned already keeps its nonce and message id. */
  planDelivery(delivery: Delivery): Promise<Delivery>;
  /** Records the platform message that now shows a chunk. */
  confirmDelivery(sessionId: string, answerTo: string, chunk: number, messageId: string): Promise<void>;
  /** Forgets which messages show an answer from a chunk on. */
  dropDeliveries(sessionId: string, answerTo: string, fromChunk: number): Promise<void>;
  /** The deliveries of an answer, by chunk. */
  deliveriesOf(sessionId: string, answerTo: string): Promise<Delivery[]>;
  /** The question whose answer a platform message shows, or null. */
  answeredBy(sessionId: string, messageId: string): Promise<string | null>;
  /** Erases the answer to a question, which stays; summaries over it become dirty. */
  eraseAnswer(sessionId: string, answerTo: string): Promise<Erased>;
  /** What is unfinished in a session: its waiting questions, and how far their answer came; null when nothing waits. */
  unfinishedAnswer(sessionId: string): Promise<UnfinishedAnswer | null>;
}
