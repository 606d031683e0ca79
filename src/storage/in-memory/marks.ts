import type { Message, Quote } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { answersAfter } from '../answers-after.js';
import { isRebuildable } from '../erased.js';
import { sortSummaries } from './folding.js';
import { newestSummary } from './recall.js';
import type { Shelf, Shelves } from './shelves.js';

/** What was changed or erased, by its number. */
type Changed = readonly Pick<Message, 'seq'>[];

/** Sees to it that erased messages are not stored when they come late or again. */
export function bury(
  { graves }: Shelves,
  sessionId: string,
  erased: readonly Pick<Message, 'platformId' | 'createdAt'>[],
): void {
  const ours = graves.get(sessionId) ?? new Map<string, number>();
  for (const { platformId, createdAt } of erased) if (!ours.has(platformId)) ours.set(platformId, createdAt);
  graves.set(sessionId, ours);
}

/** Takes quotes back, and returns the messages that carried them. */
export function unquote(shelf: Shelf, goes: (quote: Quote) => boolean): Message[] {
  const quoting = shelf.messages.filter(({ quote }) => quote !== null && goes(quote));
  for (const message of quoting) Object.assign(message, { quote: null, tokens: null, encoding: null });
  return quoting;
}

/**
 * Puts one mark in the place of the summaries that reach the lowest of the changed rows: dirty, without a text, and under a
 * new id, so that a rewriting of an older reading fails.
 */
export function markDirty(shelves: Shelves, shelf: Shelf, changed: Changed): Pick<Erased, 'dirtied' | 'unrebuildable'> {
  const lowest = changed.reduce((min, { seq }) => Math.min(min, seq), Number.POSITIVE_INFINITY);
  const reached = shelf.summaries.filter(({ throughSeq }) => throughSeq >= lowest);
  const top = reached.at(-1);
  if (top === undefined) return { dirtied: 0, unrebuildable: null };
  shelves.lastSummaryId += 1;
  const mark = { ...top, text: '', tokens: 0, dirty: true, id: shelves.lastSummaryId };
  shelf.summaries = [...shelf.summaries.filter((summary) => !reached.includes(summary)), mark];
  sortSummaries(shelf);
  const dirtied = reached.filter(({ dirty }) => !dirty).length;
  const { summary: clean } = newestSummary(shelf);
  const rebuildable = isRebuildable(mark, clean, shelf.sweptThrough);
  return { dirtied, unrebuildable: rebuildable ? null : { ...mark, text: top.text } };
}

/** Notes a forget: what was begun before it may not write after it. */
export function raiseEpoch(shelf: Shelf): void {
  shelf.epoch += 1;
  shelf.revision += 1;
}

/** The numbers of the answers to what was said, oldest first. */
export function answersTo({ messages }: Shelf, said: readonly Message[]): Set<number> {
  const answers = messages.filter(({ role }) => role === 'assistant').map(({ seq }) => seq);
  const asked = said.map(({ seq }) => seq);
  return new Set(answersAfter(asked, answers));
}

/** What people said between an answer and the one before it; without one, since the newest. */
export function saidBefore(shelf: Shelf, answer: Message | undefined): Message[] {
  const before = answer?.seq ?? Number.POSITIVE_INFINITY;
  const after = shelf.messages.findLast(({ role, seq }) => role === 'assistant' && seq < before)?.seq ?? 0;
  return shelf.messages.filter(({ role, seq }) => role === 'user' && seq > after && seq < before);
}

/** Forgets tombstones laid until a time; returns how many. */
export function sweepTombstones({ graves }: Shelves, until: number): number {
  let swept = 0;
  for (const ours of graves.values()) {
    for (const [platformId, at] of ours) if (at <= until && ours.delete(platformId)) swept += 1;
  }
  return swept;
}
