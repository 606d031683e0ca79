import { type ImportedSummary, originalId } from '../../src/conversation/archive.js';
import { StorageError } from '../../src/conversation/errors.js';
import {
  type History,
  type NewSummary,
  type Reach,
  reachCounter,
  type Summary,
  type SummaryCheck,
} from '../../src/conversation/history.js';
import {
  cleanText,
  countedTextOf,
  type Message,
  type NewMessage,
  type Quote,
  type TokenCount,
} from '../../src/conversation/message.js';
import { type Session, serverScope } from '../../src/conversation/session.js';
import type { SettingKey, StoredSetting } from '../../src/conversation/settings.js';
import {
  type Answer,
  type ConversationStore,
  type Delivery,
  type DeliveryStore,
  type Erased,
  type Payer,
  type PendingSession,
  type PersonStore,
  type SessionFacts,
  type SessionStore,
  type Store,
  type SweepCut,
  type TokensUsed,
  type Turn,
  triggerIdOf,
  triggerOf,
  type UsageRow,
  type UsageStore,
} from '../../src/conversation/store.js';
import { placedSummaries } from '../../src/storage/sqlite/archive-import.js';
import { missedSince, receivedAt } from '../../src/storage/sqlite/catch-up-cursor.js';
import { NOTHING_ERASED } from '../../src/storage/sqlite/erasure.js';
import { allNames, peopleIn, withName } from '../../src/storage/sqlite/people.js';
import { isRebuildable } from '../../src/storage/sqlite/summaries.js';
import { answersAfter, firstQuestion } from '../../src/storage/sqlite/turn-rows.js';
import { answerMessage, questionCounts, resumedTurn } from '../../src/storage/sqlite/turns.js';
import { isWithin } from '../../src/storage/sqlite/usage.js';

/** Carries out one verb: at once, and returning copies, so that nobody outside holds what the store holds. */
export type Act = <T>(work: () => T) => Promise<T>;

/** All that is kept of one session; messages in order of `seq`, summaries in order of their watermark. */
export type Shelf = {
  session: Session;
  epoch: number;
  revision: number;
  sweptThrough: number;
  /** When the newest message was created that was taken away as the newest one. */
  goneThrough: number | null;
  messages: Message[];
  /** Everybody who has written or was quoted here, and their names, one a line. */
  authors: Map<string, string>;
  /** Role and platform id of every message, since each is stored once. */
  identities: Set<string>;
  /** The `seq` of every message that waits. */
  pending: Set<number>;
  summaries: Summary[];
};

/** All that an in-memory store keeps. */
export type Shelves = {
  bySession: Map<string, Shelf>;
  /** Erased platform ids by session, and when. */
  graves: Map<string, Map<string, number>>;
  settings: Map<string, StoredSetting>;
  lastSeq: number;
  lastSummaryId: number;
};

/** A store's shelves before anything was said. */
export function emptyShelves(): Shelves {
  return { bySession: new Map(), graves: new Map(), settings: new Map(), lastSeq: 0, lastSummaryId: 0 };
}

/** The shelf of a session, made when it is not there yet. */
export function shelfFor(shelves: Shelves, sessionId: string): Shelf {
  const shelf = shelfOf(shelves, sessionId);
  shelves.bySession.set(sessionId, shelf);
  return shelf;
}

/** The shelf of a session to look at; an empty one when nothing is kept of it. */
export function shelfOf(shelves: Shelves, sessionId: string): Shelf {
  return shelves.bySession.get(sessionId) ?? newShelf(sessionId);
}

/** The first message that waits, which no summary may reach. */
export function firstPending(shelf: Shelf): number {
  return Math.min(Number.POSITIVE_INFINITY, ...shelf.pending);
}

/** True when a message is kept already. */
export function holds(shelf: Shelf, message: Pick<Message, 'role' | 'platformId'>): boolean {
  return shelf.identities.has(identity(message));
}

/** The message under a number. */
export function atSeq(shelf: Shelf, seq: number): Message | undefined {
  let low = 0;
  let high = shelf.messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shelf.messages[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  const found = shelf.messages[low];
  return found?.seq === seq ? found : undefined;
}

/** Puts a message in its place. */
export function place(shelf: Shelf, message: Message): void {
  const after = shelf.messages.findLastIndex(({ seq }) => seq < message.seq);
  shelf.messages.splice(after + 1, 0, message);
  shelf.identities.add(identity(message));
  for (const { authorId, name } of peopleIn(message)) {
    shelf.authors.set(authorId, withName(shelf.authors.get(authorId) ?? '', name));
  }
  if (message.state === 'pending') shelf.pending.add(message.seq);
}

/** Takes messages away and returns them. */
export function takeAway(shelf: Shelf, goes: (message: Message) => boolean): Message[] {
  const gone: Message[] = [];
  const newest = newestSaid(shelf);
  const kept: Message[] = [];
  for (const message of shelf.messages) (goes(message) ? gone : kept).push(message);
  shelf.messages = kept;
  const heard = receivedAt(newest);
  if (heard !== null && newestSaid(shelf) !== newest) shelf.goneThrough = Math.max(shelf.goneThrough ?? heard, heard);
  for (const message of gone) {
    shelf.pending.delete(message.seq);
    shelf.identities.delete(identity(message));
  }
  return gone;
}

/** From when on a session may have missed something; null when it never held a message. */
export function shelfUnheardFrom(shelf: Shelf): number | null {
  return missedSince(receivedAt(newestSaid(shelf)), shelf.goneThrough);
}

function newestSaid({ messages }: Shelf): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function identity({ role, platformId }: Pick<Message, 'role' | 'platformId'>): string {
  return `${role} ${platformId}`;
}

function newShelf(id: string): Shelf {
  const session = { id, parentId: null, serverId: null };
  const empty = {
    messages: [],
    identities: new Set<string>(),
    pending: new Set<number>(),
    summaries: [],
    authors: new Map<string, string>(),
  };
  return { session, epoch: 0, revision: 0, sweptThrough: 0, goneThrough: null, ...empty };
}

/** What is kept beside the conversations. */
export type Drawer = {
  deliveries: Delivery[];
  optOuts: Map<string, { told: boolean }>;
  addressed: Set<string>;
  facts: Map<string, string>;
};

const drawers = new WeakMap<Shelves, Drawer>();

/** The drawer that belongs to a store's shelves. */
export function drawerOf(shelves: Shelves): Drawer {
  const drawer = drawers.get(shelves) ?? {
    deliveries: [],
    optOuts: new Map(),
    addressed: new Set<string>(),
    facts: new Map(),
  };
  drawers.set(shelves, drawer);
  return drawer;
}

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

/** Stores a summary if nothing that it was made from has changed; false when something has. */
export function saveSummary(shelves: Shelves, next: NewSummary, check: SummaryCheck): boolean {
  const shelf = shelfOf(shelves, next.sessionId);
  if (shelf.epoch !== check.epoch || shelf.revision !== check.revision) return false;
  const { summary: previous } = newestSummary(shelf);
  if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > next.throughSeq) return false;
  if (firstPending(shelf) <= next.throughSeq) return false;
  shelves.bySession.set(next.sessionId, shelf);
  shelves.lastSummaryId += 1;
  shelf.summaries.push({ ...next, text: cleanText(next.text), id: shelves.lastSummaryId, dirty: false });
  sortSummaries(shelf);
  if (check.dropCovered) dropRows(shelf, ({ seq }) => seq <= next.throughSeq);
  dropUseless(shelf);
  return true;
}

/** Replaces a dirty summary's text, clean again; false when the epoch has moved on or that reading of it is gone. */
export function rewriteSummary(shelves: Shelves, id: number, next: NewSummary, epoch: number): boolean {
  const shelf = shelfOf(shelves, next.sessionId);
  const old = shelf.summaries.find((summary) => summary.id === id);
  if (shelf.epoch !== epoch || !old?.dirty) return false;
  Object.assign(old, next, { text: cleanText(next.text), dirty: false });
  sortSummaries(shelf);
  dropUseless(shelf);
  return true;
}

/** Drops a summary for good. */
export function dropSummary(shelves: Shelves, id: number): void {
  for (const shelf of shelves.bySession.values()) {
    shelf.summaries = shelf.summaries.filter((summary) => summary.id !== id);
  }
}

/** Deletes at most `limit` rows that retention no longer keeps, oldest first, and deliveries that nothing needs any more. */
export function sweep(shelves: Shelves, sessionId: string, cut: SweepCut, limit: number): number {
  const shelf = shelfOf(shelves, sessionId);
  const through = Math.max(watermarkAt(shelf, cut.coveredUntil), (cut.unreachedBelow ?? 0) - 1);
  const due = shelf.messages.filter(({ seq, state }) => seq <= through && state !== 'pending').slice(0, limit);
  const gone = new Set(due);
  dropRows(shelf, (message) => gone.has(message));
  if (due.length > 0) dropUseless(shelf);
  return due.length + dropSpentDeliveries(shelves, shelf, limit);
}

/**
 * Drops the deliveries of at most `limit` answers of which neither question nor answer is stored, and returns how many
 * that were. While something waits in a session all of its deliveries stay, since an answer in the making has no row yet.
 */
function dropSpentDeliveries(shelves: Shelves, shelf: Shelf, limit: number): number {
  if (shelf.pending.size > 0) return 0;
  const drawer = drawerOf(shelves);
  const stored = new Set(shelf.messages.map(({ platformId }) => platformId));
  const spent = drawer.deliveries.filter(
    ({ sessionId, answerTo }) => sessionId === shelf.session.id && !stored.has(answerTo),
  );
  const answers = new Set([...new Set(spent.map(({ answerTo }) => answerTo))].sort().slice(0, limit));
  const gone = new Set(spent.filter(({ answerTo }) => answers.has(answerTo)));
  drawer.deliveries = drawer.deliveries.filter((delivery) => !gone.has(delivery));
  return gone.size;
}

/** Puts summaries in order of their watermark. */
export function sortSummaries(shelf: Shelf): void {
  shelf.summaries.sort((a, b) => a.throughSeq - b.throughSeq || a.id - b.id);
}

function dropRows(shelf: Shelf, goes: Parameters<typeof takeAway>[1]): void {
  for (const { seq } of takeAway(shelf, goes)) shelf.sweptThrough = Math.max(shelf.sweptThrough, seq);
}

/** Drops dirty summaries below the newest clean one, and clean ones without a row between the two. */
export function dropUseless(shelf: Shelf): void {
  const { summary: newest } = newestSummary(shelf);
  if (newest === null) return;
  shelf.summaries = shelf.summaries.filter((summary) => {
    if (summary === newest || summary.throughSeq > newest.throughSeq) return true;
    const between = shelf.messages.some(({ seq }) => seq > summary.throughSeq && seq <= newest.throughSeq);
    return !summary.dirty && between;
  });
}

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

/** Forgets tombstones laid until a time. */
export function sweepTombstones({ graves }: Shelves, until: number): void {
  for (const ours of graves.values()) {
    for (const [platformId, at] of ours) if (at <= until) ours.delete(platformId);
  }
}

/** Replaces what a person said, and what replies quote of it; true when anything was changed. */
export function edit(shelves: Shelves, sessionId: string, platformId: string, given: string): boolean {
  const shelf = shelfOf(shelves, sessionId);
  const text = cleanText(given);
  const said = shelf.messages.filter(
    (row) => row.role === 'user' && row.platformId === platformId && row.text !== text,
  );
  const quoting = shelf.messages.filter(({ quote }) => quote?.platformId === platformId && quote.text !== text);
  for (const message of said) message.text = text;
  for (const { quote } of quoting) if (quote) quote.text = text;
  const changed = [...said, ...quoting];
  for (const message of changed) Object.assign(message, { tokens: null, encoding: null });
  if (changed.length === 0) return false;
  markDirty(shelves, shelf, changed);
  shelf.revision += 1;
  return true;
}

/** Erases messages, the answers that lose their last question with them, and quotes; ids are buried, known or not. */
export function erase(shelves: Shelves, sessionId: string, platformIds: readonly string[], at: number): Erased {
  const shelf = shelfOf(shelves, sessionId);
  const graves = shelves.graves.get(sessionId);
  const buried = new Set(platformIds.filter((id) => graves?.has(id)));
  const ids = new Set(platformIds);
  const named = shelf.messages.filter(({ platformId }) => ids.has(platformId));
  const said = named.filter(({ role }) => role === 'user');
  const asked = new Set(said.map(({ platformId }) => platformId));
  const meant = named.filter(
    ({ role, platformId }) => role === 'assistant' && !buried.has(platformId) && !asked.has(platformId),
  );
  const touched = answersTo(shelf, said.filter(isQuestion));
  bury(
    shelves,
    sessionId,
    platformIds.map((platformId) => ({ platformId, createdAt: at })),
  );
  const gone = new Set(said);
  takeAway(shelf, (message) => gone.has(message));
  const going = new Set([...meant, ...unasked(shelf, touched)]);
  const answers = takeAway(shelf, (message) => going.has(message));
  const quoting = unquote(shelf, ({ platformId }) => ids.has(platformId));
  const changed = [...said, ...answers, ...quoting];
  if (changed.length > 0) shelf.revision += 1;
  const dirty = markDirty(shelves, shelf, changed);
  return { ...NOTHING_ERASED, messages: said.length, answers: answers.length, ...dirty };
}

function isQuestion({ state }: Message): boolean {
  return state === 'answered' || state === 'pending';
}

/** Which of these answers have no question left. */
function unasked(shelf: Shelf, answers: ReadonlySet<number>): Message[] {
  let asked = false;
  return shelf.messages.filter((message) => {
    const alone = message.role === 'assistant' && !asked;
    if (message.role === 'assistant') asked = false;
    else if (isQuestion(message)) asked = true;
    return alone && answers.has(message.seq);
  });
}

/** Erases all messages and summaries of a session, and who took part, and raises its epoch. */
export function forgetSession(shelves: Shelves, sessionId: string): Erased {
  const shelf = shelfFor(shelves, sessionId);
  const messages = shelf.messages.filter(({ role }) => role === 'user').length;
  const answers = shelf.messages.length - messages;
  const summaries = shelf.summaries.length;
  takeAway(shelf, () => true);
  shelf.authors.clear();
  Object.assign(shelf, { summaries: [], sweptThrough: 0 });
  raiseEpoch(shelf);
  return { ...NOTHING_ERASED, messages, answers, summaries };
}

/** Erases what a person wrote in a session, the answers to it and quotes of it, and raises the epoch. */
export function forgetAuthor(shelves: Shelves, sessionId: string, authorId: string): Erased {
  const shelf = shelfFor(shelves, sessionId);
  const said = shelf.messages.filter((message) => message.role === 'user' && message.authorId === authorId);
  const touched = answersTo(shelf, said);
  const answers = takeAway(shelf, ({ seq }) => touched.has(seq));
  const gone = new Set(said);
  takeAway(shelf, (message) => gone.has(message));
  bury(shelves, sessionId, said);
  const quotes = quotesOf(shelf, authorId);
  const quoting = unquote(shelf, (quote) => quote.authorId === authorId);
  const noted = shelf.authors.get(authorId);
  shelf.authors.delete(authorId);
  raiseEpoch(shelf);
  const swept = noted !== undefined && shelf.sweptThrough > 0 ? [{ seq: 0 }] : [];
  const dirty = markDirty(shelves, shelf, [...said, ...answers, ...quoting, ...swept]);
  const names = allNames(
    noted ?? '',
    [...said, ...quotes].map(({ authorName }) => authorName),
  );
  return { messages: said.length, answers: answers.length, summaries: 0, names, ...dirty };
}

/** Erases the newest turn, or a person's part in it, with its answer, and raises the epoch. */
export function forgetLast(shelves: Shelves, sessionId: string, authorId: string | null): Erased {
  const shelf = shelfOf(shelves, sessionId);
  const turn = newestTurn(shelf);
  const own = turn.said.filter((message) => authorId === null || message.authorId === authorId);
  if (own.length === 0 && (authorId !== null || turn.answer === undefined)) return NOTHING_ERASED;
  const answers = takeAway(shelf, (message) => message === turn.answer);
  const gone = new Set(own.map(({ seq }) => seq));
  takeAway(shelf, ({ seq }) => gone.has(seq));
  bury(shelves, sessionId, own);
  const ids = new Set(own.map(({ platformId }) => platformId));
  const quoting = unquote(shelf, ({ platformId }) => ids.has(platformId));
  raiseEpoch(shelf);
  const dirty = markDirty(shelves, shelf, [...own, ...answers, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn(shelf: Shelf): { said: Message[]; answer: Message | undefined } {
  const since = saidBefore(shelf, undefined);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined) return { said: since.filter(({ seq }) => seq >= unanswered.seq), answer: undefined };
  const answer = shelf.messages.findLast(({ role }) => role === 'assistant');
  const before = answer === undefined ? [] : saidBefore(shelf, answer);
  const first = (firstQuestion(before) ?? before.at(-1))?.seq ?? 0;
  return { said: before.filter(({ seq }) => seq >= first), answer };
}

function quotesOf(shelf: Shelf, authorId: string): Quote[] {
  return shelf.messages.flatMap(({ quote }) => (quote?.authorId === authorId ? quote : []));
}

/** The verbs that fold, change, erase and let go. */
export function changeVerbs(shelves: Shelves, act: Act) {
  return {
    saveSummary: (next, check) => act(() => saveSummary(shelves, next, check)),
    rewriteSummary: (id, next, epoch) => act(() => rewriteSummary(shelves, id, next, epoch)),
    dropSummary: (id) => act(() => dropSummary(shelves, id)),
    edit: (sessionId, platformId, text) => act(() => edit(shelves, sessionId, platformId, text)),
    erase: (sessionId, platformIds, at) => act(() => erase(shelves, sessionId, platformIds, at)),
    forgetSession: (sessionId) => act(() => forgetSession(shelves, sessionId)),
    forgetAuthor: (sessionId, authorId) => act(() => forgetAuthor(shelves, sessionId, authorId)),
    forgetLast: (sessionId, authorId) => act(() => forgetLast(shelves, sessionId, authorId)),
    sweep: (sessionId, cut, limit) => act(() => sweep(shelves, sessionId, cut, limit)),
    sweepTombstones: (until) => act(() => sweepTombstones(shelves, until)),
  } satisfies Partial<ConversationStore>;
}

/** Stores a message once; null when it is stored already or was erased before it came. */
export function append(shelves: Shelves, message: NewMessage): Message | null {
  const { sessionId, platformId } = message;
  if (shelves.graves.get(sessionId)?.has(platformId)) return null;
  const shelf = shelfFor(shelves, sessionId);
  if (holds(shelf, message)) return null;
  shelves.lastSeq += 1;
  const stored = { ...clean(message), seq: shelves.lastSeq, tokens: null, encoding: null };
  place(shelf, stored);
  return stored;
}

/** Writes counts that follow their messages. */
export function saveCounts(shelves: Shelves, counts: readonly TokenCount[]): void {
  for (const { seq, tokens, encoding, of } of counts) {
    for (const shelf of shelves.bySession.values()) {
      const message = atSeq(shelf, seq);
      if (message === undefined) continue;
      const { text, quoteText } = countedTextOf(message);
      const same = of === undefined || (of.text === text && of.quoteText === quoteText);
      if (same) Object.assign(message, { tokens, encoding });
    }
  }
}

/** Takes what waits into a turn, and reserves the number of its answer. */
export function openTurn(shelves: Shelves, sessionId: string): Turn | null {
  const shelf = shelfOf(shelves, sessionId);
  const first = firstPending(shelf);
  const questions = shelf.messages.filter(({ role, seq }) => role === 'user' && seq >= first);
  if (questions.length === 0) return null;
  shelves.lastSeq += 1;
  return { sessionId, epoch: shelf.epoch, answerSeq: shelves.lastSeq, questions };
}

/** Stores an answer that is being delivered, in place of one that was not. */
export function storeAnswer(shelves: Shelves, turn: Turn, answer: Answer): Message | null {
  const shelf = shelfOf(shelves, turn.sessionId);
  const trigger = triggerOf(turn);
  if (trigger === undefined || turn.epoch !== shelf.epoch) return null;
  if (atSeq(shelf, trigger.seq)?.state !== 'pending') return null;
  const given = shelf.messages.find((row) => row.role === 'assistant' && row.platformId === trigger.platformId);
  if (given && given.state !== 'pending') return null;
  dropUndelivered(shelf, turn);
  const { tokens, encoding } = answer;
  const stored = { ...clean(answerMessage(trigger, answer)), seq: turn.answerSeq, tokens, encoding };
  place(shelf, stored);
  saveCounts(shelves, questionCounts(turn, answer.counts));
  return stored;
}

/** Marks questions and answer `answered`; false when the answer is gone. */
export function settleTurn(shelves: Shelves, { sessionId, answerSeq, questions }: Turn): boolean {
  const shelf = shelfOf(shelves, sessionId);
  settle(shelf, [...questions.map(({ seq }) => seq), answerSeq], 'answered');
  return atSeq(shelf, answerSeq)?.role === 'assistant';
}

/** Marks questions `failed` and drops an answer that was not delivered. */
export function failTurn(shelves: Shelves, turn: Turn): void {
  const shelf = shelfOf(shelves, turn.sessionId);
  dropUndelivered(shelf, turn);
  settle(
    shelf,
    turn.questions.map(({ seq }) => seq),
    'failed',
  );
}

function settle(shelf: Shelf, seqs: readonly number[], state: 'answered' | 'failed'): void {
  for (const seq of seqs) {
    const message = atSeq(shelf, seq);
    if (message && shelf.pending.delete(seq)) message.state = state;
  }
}

function dropUndelivered(shelf: Shelf, turn: Turn): void {
  const ids = [...turn.questions.map(({ platformId }) => platformId), turn.answerTo];
  takeAway(
    shelf,
    ({ role, state, platformId }) => role === 'assistant' && state === 'pending' && ids.includes(platformId),
  );
}

function clean(message: NewMessage): NewMessage {
  const { quote, text, authorName } = message;
  return {
    ...message,
    text: cleanText(text),
    authorName: cleanText(authorName),
    quote: quote && { ...quote, authorName: cleanText(quote.authorName), text: cleanText(quote.text) },
  };
}

/** The verbs about how answers were delivered. */
export function deliveryVerbs(shelves: Shelves, act: Act): DeliveryStore {
  const drawer = drawerOf(shelves);
  const list = (sessionId: string, answerTo: string) =>
    drawer.deliveries
      .filter((delivery) => delivery.sessionId === sessionId && delivery.answerTo === answerTo)
      .sort((a, b) => a.chunk - b.chunk);
  return {
    planDelivery: (delivery) =>
      act(() => {
        const known = list(delivery.sessionId, delivery.answerTo).find(({ chunk }) => chunk === delivery.chunk);
        if (known === undefined) drawer.deliveries.push({ ...delivery });
        return known ?? delivery;
      }),
    confirmDelivery: (sessionId, answerTo, chunk, messageId) =>
      act(() => {
        for (const delivery of list(sessionId, answerTo)) if (delivery.chunk === chunk) delivery.messageId = messageId;
      }),
    dropDeliveries: (sessionId, answerTo, fromChunk) =>
      act(() => {
        const rest = list(sessionId, answerTo).filter(({ chunk }) => chunk >= fromChunk);
        drawer.deliveries = drawer.deliveries.filter((delivery) => !rest.includes(delivery));
      }),
    deliveriesOf: (sessionId, answerTo) => act(() => list(sessionId, answerTo)),
    answeredBy: (sessionId, messageId) =>
      act(
        () =>
          drawer.deliveries.find((delivery) => delivery.sessionId === sessionId && delivery.messageId === messageId)
            ?.answerTo ?? null,
      ),
    eraseAnswer: (sessionId, answerTo) =>
      act(() => {
        const shelf = shelfOf(shelves, sessionId);
        const gone = takeAway(shelf, (row) => row.role === 'assistant' && row.platformId === answerTo);
        if (gone.length === 0) return NOTHING_ERASED;
        shelf.revision += 1;
        return { ...NOTHING_ERASED, answers: gone.length, ...markDirty(shelves, shelf, gone) };
      }),
    unfinishedAnswer: (sessionId) =>
      act(() => {
        const turn = openTurn(shelves, sessionId);
        if (turn === null) return null;
        const answer = pendingAnswer(shelfOf(shelves, sessionId));
        const resumed = resumedTurn(turn, answer);
        return { turn: resumed, answer, deliveries: list(sessionId, triggerIdOf(resumed)) };
      }),
  };
}

function pendingAnswer({ messages }: Shelf) {
  return messages.find(({ role, state }) => role === 'assistant' && state === 'pending') ?? null;
}

/** Stores a conversation in a session that holds nothing; null when it holds anything. */
export function importSession(
  shelves: Shelves,
  sessionId: string,
  rows: readonly NewMessage[],
  given: readonly ImportedSummary[],
  heardUntil: number,
): number | null {
  const before = shelfOf(shelves, sessionId);
  if (before.messages.length > 0 || before.summaries.length > 0) return null;
  const shelf = shelfFor(shelves, sessionId);
  shelves.lastSeq += 1;
  const base = shelves.lastSeq;
  const graves = shelves.graves.get(sessionId);
  const stored = rows.map((row) =>
    graves?.has(originalId(row.platformId)) ? null : (append(shelves, row)?.seq ?? null),
  );
  for (const summary of placedSummaries(sessionId, given, stored, base)) {
    shelves.lastSummaryId += 1;
    shelf.summaries.push({ ...summary, text: cleanText(summary.text), id: shelves.lastSummaryId, dirty: false });
  }
  if (given.some(({ beyond }) => beyond)) shelf.sweptThrough = base;
  sortSummaries(shelf);
  dropUseless(shelf);
  if (shelfUnheardFrom(shelf) === null) shelf.goneThrough = heardUntil;
  shelf.revision += 1;
  return stored.filter((seq) => seq !== null).length;
}

/** The verbs about people. */
export function peopleVerbs(shelves: Shelves, act: Act): PersonStore {
  const { optOuts } = drawerOf(shelves);
  const key = (...parts: string[]) => JSON.stringify(parts);
  return {
    setOptOut: (scopeId, authorId, optedOut) =>
      act(() => {
        if (!optedOut) optOuts.delete(key(scopeId, authorId));
        else if (!optOuts.has(key(scopeId, authorId))) optOuts.set(key(scopeId, authorId), { told: false });
      }),
    optOut: (scopeId, authorId) =>
      act(() => {
        const known = optOuts.get(key(scopeId, authorId));
        return { optedOut: known !== undefined, told: known?.told ?? false };
      }),
    markTold: (scopeId, authorId) =>
      act(() => {
        const known = optOuts.get(key(scopeId, authorId));
        if (known !== undefined) known.told = true;
      }),
    sessionsOfAuthor: (scopeId, authorId) =>
      act(() =>
        [...shelves.bySession.values()]
          .filter((shelf) => within(shelf, scopeId) && shelf.authors.has(authorId))
          .map(({ session }) => session)
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ),
    findMessage: (sessionId, platformId) =>
      act(() => {
        const { messages } = shelfOf(shelves, sessionId);
        return messages.find((row) => row.role === 'user' && row.platformId === platformId) ?? null;
      }),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      act(() =>
        said(shelfOf(shelves, sessionId), authorId)
          .filter(({ seq }) => seq > afterSeq)
          .slice(0, limit),
      ),
  };
}

function within({ session }: Shelf, scopeId: string): boolean {
  return session.id === scopeId || (session.serverId !== null && serverScope(session.serverId) === scopeId);
}

function said(shelf: Shelf, authorId: string) {
  return shelf.messages.filter((row) => row.role === 'user' && row.authorId === authorId);
}

/** The verbs about places and the program itself. */
export function placeVerbs(shelves: Shelves, act: Act): SessionStore {
  const drawer = drawerOf(shelves);
  return {
    markAddressed: (sessionId) => act(() => void drawer.addressed.add(sessionId)),
    wasAddressed: (sessionId) => act(() => drawer.addressed.has(sessionId)),
    missedSince: (sessionId) => act(() => shelfUnheardFrom(shelfOf(shelves, sessionId))),
    platformIdsSince: (sessionId, fromAt, limit) =>
      act(() =>
        saidPlaceVerbs(shelves, sessionId)
          .filter(({ createdAt }) => createdAt >= fromAt)
          .reverse()
          .slice(0, limit)
          .map(({ platformId }) => platformId),
      ),
    servers: () => act(() => [...new Set(sessionsOf(shelves).flatMap(({ serverId }) => serverId ?? []))]),
    sessionsOfServer: (serverId) => act(() => sessionsOf(shelves).filter((session) => session.serverId === serverId)),
    threadsOf: (sessionId) => act(() => sessionsOf(shelves).filter(({ parentId }) => parentId === sessionId)),
    removeSession: (sessionId) =>
      act(() => {
        forgetSession(shelves, sessionId);
        const session = { id: sessionId, parentId: null, serverId: null };
        Object.assign(shelfOf(shelves, sessionId), { session, goneThrough: null });
        drawer.addressed.delete(sessionId);
        drawer.deliveries = drawer.deliveries.filter((delivery) => delivery.sessionId !== sessionId);
        stripScope(shelves, sessionId);
      }),
    removeServer: (serverId) => act(() => stripScope(shelves, serverScope(serverId))),
    loadFact: (name) => act(() => drawer.facts.get(name) ?? null),
    saveFact: (name, value) =>
      act(() => void (value === null ? drawer.facts.delete(name) : drawer.facts.set(name, value))),
  };
}

function saidPlaceVerbs(shelves: Shelves, sessionId: string) {
  return shelfOf(shelves, sessionId).messages.filter(({ role }) => role === 'user');
}

function sessionsOf(shelves: Shelves): Session[] {
  return [...shelves.bySession.values()].map(({ session }) => session);
}

function stripScope(shelves: Shelves, scopeId: string): void {
  const { optOuts } = drawerOf(shelves);
  for (const [name, setting] of shelves.settings) if (setting.scopeId === scopeId) shelves.settings.delete(name);
  for (const name of optOuts.keys()) if (JSON.parse(name)[0] === scopeId) optOuts.delete(name);
}

/** Records a session, or that it belongs elsewhere now. */
export function openSession(shelves: Shelves, { id, parentId, serverId }: Session): void {
  shelfFor(shelves, id).session = { id, parentId, serverId };
}

/** Sessions in order of id after `afterId`, at most `limit`. */
export function listSessions(shelves: Shelves, afterId: string, limit: number): Session[] {
  const ids = [...shelves.bySession.keys()].filter((id) => id > afterId).sort();
  return ids.slice(0, limit).flatMap((id) => shelves.bySession.get(id)?.session ?? []);
}

/** Sessions with waiting questions, and since when; those that wait longest come first. */
export function pendingSessions(shelves: Shelves): PendingSession[] {
  const waiting = [...shelves.bySession.values()].flatMap(({ session, messages }) => {
    const questions = messages.filter(({ role, state }) => role === 'user' && state === 'pending');
    if (questions.length === 0) return [];
    return [{ session, oldestAt: Math.min(...questions.map(({ createdAt }) => createdAt)) }];
  });
  return waiting.sort((a, b) => a.oldestAt - b.oldestAt || (a.session.id < b.session.id ? -1 : 1));
}

/** Settings of the given scopes. */
export function loadSettings({ settings }: Shelves, scopeIds: readonly string[]): StoredSetting[] {
  return [...settings.values()].filter(({ scopeId }) => scopeIds.includes(scopeId));
}

/** Sets one value of a scope, or removes it when it is undefined. */
export function saveSetting(
  { settings }: Shelves,
  scopeId: string,
  key: SettingKey,
  value: unknown,
  updatedAt: number,
) {
  const name = JSON.stringify([scopeId, key]);
  if (value === undefined) settings.delete(name);
  else settings.set(name, { scopeId, key, value: structuredClone(value), updatedAt });
}

/** The verbs that take in, answer, recall and set. */
export function talkVerbs(shelves: Shelves, act: Act) {
  return {
    openSession: (session) => act(() => openSession(shelves, session)),
    findSession: (sessionId) => act(() => shelves.bySession.get(sessionId)?.session ?? null),
    listSessions: (afterId, limit) => act(() => listSessions(shelves, afterId, limit)),
    pendingSessions: () => act(() => pendingSessions(shelves)),
    append: (message) => act(() => append(shelves, message)),
    appendAll: (batch) =>
      act(() => batch.map((message) => append(shelves, message)).filter((message) => message !== null)),
    saveCounts: (counts) => act(() => saveCounts(shelves, counts)),
    storeAnswer: (turn, answer) => act(() => storeAnswer(shelves, turn, answer)),
    settleTurn: (turn) => act(() => settleTurn(shelves, turn)),
    failTurn: (turn) => act(() => failTurn(shelves, turn)),
    loadHistory: (sessionId, reach, beforeSeq) => act(() => loadHistory(shelfOf(shelves, sessionId), reach, beforeSeq)),
    loadSpan: (sessionId, after, through, limit) =>
      act(() => loadSpan(shelfOf(shelves, sessionId), after, through, limit)),
    reachedFrom: (sessionId, reach, at) => act(() => reachedFrom(shelfOf(shelves, sessionId), reach, at)),
    sessionFacts: (sessionId) => act(() => sessionFacts(shelfOf(shelves, sessionId))),
    loadSettings: (scopeIds) => act(() => loadSettings(shelves, scopeIds)),
    saveSetting: (scopeId, key, value, at) => act(() => saveSetting(shelves, scopeId, key, value, at)),
  } satisfies Partial<ConversationStore>;
}

/** The verbs about what was used. */
export function usageVerbs(act: Act): UsageStore {
  let rows: (UsageRow & { scopeId: string })[] = [];
  const sum = (wanted: (row: Payer) => boolean) => rows.filter(wanted).reduce((total, { tokens }) => total + tokens, 0);
  const used = ({ scopeId, day, authorId }: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): TokensUsed => {
    const ofDay = (row: Payer) => row.scopeId === scopeId && row.day === day;
    return { server: sum(ofDay), person: sum((row) => ofDay(row) && row.authorId === authorId) };
  };
  const charge = ({ scopeId, day, authorId, sessionId }: Payer, tokens: number, calls: number) => {
    const same = (row: Payer) =>
      row.scopeId === scopeId && row.day === day && row.authorId === authorId && row.sessionId === sessionId;
    const row = rows.find(same);
    if (row === undefined) rows.push({ scopeId, day, authorId, sessionId, tokens, calls });
    else Object.assign(row, { tokens: row.tokens + tokens, calls: row.calls + calls });
  };
  return {
    reserve: (payer, tokens, limits) =>
      act(() => {
        const before = used(payer);
        const granted = isWithin(before, tokens, limits);
        if (granted) charge(payer, tokens, 0);
        return { ...before, granted };
      }),
    settle: (payer, reserved, tokens) => act(() => charge(payer, tokens - reserved, 1)),
    used: (of) => act(() => used(of)),
    account: (scopeId, fromDay) =>
      act(() =>
        rows
          .filter((row) => row.scopeId === scopeId && row.day >= fromDay)
          .map(({ scopeId: _, ...row }) => row)
          .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
      ),
    sweepUsage: (beforeDay) =>
      act(() => {
        rows = rows.filter((row) => row.day >= beforeDay);
      }),
  };
}

/** A conversation store that lasts as long as its process; for tests, and for those who want no file. */
export function createInMemoryStore(): Store {
  const shelves = emptyShelves();
  let closed = false;
  const act: Act = async (work) => {
    if (closed) throw new StorageError('storage', 'The store is closed; open it again.');
    return structuredClone(work());
  };
  return {
    ...talkVerbs(shelves, act),
    ...changeVerbs(shelves, act),
    ...deliveryVerbs(shelves, act),
    ...peopleVerbs(shelves, act),
    ...placeVerbs(shelves, act),
    ...usageVerbs(act),
    importSession: (sessionId, messages, summaries, heardUntil) =>
      act(() => importSession(shelves, sessionId, messages, summaries, heardUntil)),
    async close() {
      closed = true;
    },
  };
}
