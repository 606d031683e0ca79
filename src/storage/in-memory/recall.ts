import { type History, type Reach, reachCounter } from '../../conversation/history.js';
import type { Message } from '../../conversation/message.js';
import type { SessionFacts } from '../../conversation/store.js';
import type { Summary } from '../../conversation/summary.js';
import { firstPending, type Shelf } from './shelves.js';

/** The summary that may be sent, and how far a dirty one above it reaches. */
export function newestSummary(shelf: Shelf): { summary: Summary | null; dirtyThrough: number | null } {
  const top = shelf.summaries.at(-1);
  const summary = shelf.summaries.findLast(({ dirty }) => !dirty) ?? null;
  return { summary, dirtyThrough: top?.dirty ? top.throughSeq : null };
}

/** How far the clean summaries reached that were made until a time; 0 without one. */
export function watermarkAt(shelf: Shelf, at: number): number {
  return shelf.summaries.findLast(({ dirty, createdAt }) => !dirty && createdAt <= at)?.throughSeq ?? 0;
}

/** The newest settled messages within a reach, oldest first. */
export function loadHistory(shelf: Shelf, reach: Reach, beforeSeq = Number.POSITIVE_INFINITY): History {
  const { summary, dirtyThrough } = reach.summary ? newestSummary(shelf) : { summary: null, dirtyThrough: null };
  const before = Math.min(beforeSeq, firstPending(shelf));
  const floor = summary?.throughSeq ?? 0;
  const { messages, complete } = walk(shelf, reach, ({ seq }) => seq > floor && seq < before);
  const { epoch, revision, session } = shelf;
  return { sessionId: session.id, epoch, revision, summary, messages, complete, dirtyThrough };
}

/** Settled messages between two numbers, oldest first. */
export function loadSpan({ messages }: Shelf, afterSeq: number, throughSeq: number, limit: number): Message[] {
  const within = messages.filter(({ seq, state }) => seq > afterSeq && seq <= throughSeq && state !== 'pending');
  return within.slice(0, limit);
}

/** The lowest `seq` that a reach saw at a time; null when it saw all. */
export function reachedFrom(shelf: Shelf, reach: Reach, at: number): number | null {
  const floor = reach.summary ? watermarkAt(shelf, at) : 0;
  const { messages, complete } = walk(shelf, reach, ({ seq, createdAt }) => seq > floor && createdAt <= at);
  return complete ? null : (messages[0]?.seq ?? null);
}

/** What is kept of a session, for reports. */
export function sessionFacts({ epoch, sweptThrough, messages, summaries }: Shelf): SessionFacts {
  return {
    epoch,
    messages: messages.length,
    sweptThrough,
    firstAt: messages[0]?.createdAt ?? null,
    lastAt: messages.at(-1)?.createdAt ?? null,
    summaries,
  };
}

function walk(shelf: Shelf, reach: Reach, counts: (message: Message) => boolean) {
  const passed = reachCounter(reach);
  const found: Message[] = [];
  let stopped = false;
  for (let i = shelf.messages.length - 1; i >= 0; i -= 1) {
    const message = shelf.messages[i];
    if (message === undefined || message.state === 'pending' || !counts(message)) continue;
    if (stopped) return { messages: found.reverse(), complete: false };
    found.push(message);
    stopped = passed(message);
  }
  return { messages: found.reverse(), complete: true };
}
