import { type ArchiveStore, type ImportedSummary, originalId } from '../../src/conversation/archive.js';
import { StorageError } from '../../src/conversation/errors.js';
import {
  createReachCounter,
  type History,
  type NewSummary,
  type Reach,
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
import type { StoredSetting } from '../../src/conversation/settings.js';
import {
  type Answer,
  type ConversationStore,
  type Delivery,
  type DeliveryStore,
  type Erased,
  type Payer,
  type PersonStore,
  type SessionStore,
  type Store,
  type SweepCut,
  type TokensUsed,
  type Turn,
  triggerIdOf,
  triggerOf,
  type UnfinishedAnswer,
  type UsageRow,
  type UsageStore,
} from '../../src/conversation/store.js';
import { placedSummaries } from '../../src/storage/sqlite/archive-import.js';
import { missedSince, receivedAt } from '../../src/storage/sqlite/catch-up-cursor.js';
import { NOTHING_ERASED } from '../../src/storage/sqlite/erasure.js';
import { addName, mergeNames, participantsIn } from '../../src/storage/sqlite/participants.js';
import { isRebuildable } from '../../src/storage/sqlite/summaries.js';
import { firstQuestion, isOpenOrAnswered, matchAnswers } from '../../src/storage/sqlite/turn-questions.js';
import { answerMessage, questionCounts, resumedTurn } from '../../src/storage/sqlite/turns.js';
import { isWithin } from '../../src/storage/sqlite/usage.js';

/** A store in memory that says at once, by lists and loops, what the SQLite store must say; it is the tests' oracle. */
export function createModelStore(): Store {
  const state: State = {
    sessions: new Map(),
    tombstones: new Map(),
    settings: new Map(),
    deliveries: [],
    optOuts: new Map(),
    facts: new Map(),
    usage: [],
    lastSeq: 0,
    lastSummaryId: 0,
  };
  let closed = false;
  /** Returns copies, so that nobody outside holds what the store holds. */
  const run: Run = async (work) => {
    if (closed) throw new StorageError('storage', 'The store is closed; open it again.');
    return structuredClone(work());
  };
  return {
    ...sessionVerbs(state, run),
    ...messageVerbs(state, run),
    ...turnVerbs(state, run),
    ...historyVerbs(state, run),
    ...compactionVerbs(state, run),
    ...erasureVerbs(state, run),
    ...deliveryVerbs(state, run),
    ...personVerbs(state, run),
    ...settingVerbs(state, run),
    ...usageVerbs(state, run),
    ...archiveVerbs(state, run),
    async close() {
      closed = true;
    },
  };
}

type Run = <T>(work: () => T) => Promise<T>;

type State = {
  sessions: Map<string, SessionState>;
  /** When the tombstone of each platform id was laid, by session. */
  tombstones: Map<string, Map<string, number>>;
  /** Settings by scope and key. */
  settings: Map<string, StoredSetting>;
  deliveries: Delivery[];
  /** Opt-outs by scope and person. */
  optOuts: Map<string, { scopeId: string; told: boolean }>;
  facts: Map<string, string>;
  usage: (UsageRow & { scopeId: string })[];
  lastSeq: number;
  lastSummaryId: number;
};

/** One session; messages are in order of `seq`, summaries in order of their watermark. */
type SessionState = {
  session: Session;
  epoch: number;
  revision: number;
  sweptThrough: number;
  goneThrough: number | null;
  addressed: boolean;
  messages: Message[];
  /** Role and platform id of every message, since each is stored once. */
  identities: Set<string>;
  /** The names of everybody who has written or was quoted here, one a line. */
  participants: Map<string, string>;
  summaries: Summary[];
};

/** The state of a session; one that is not stored is empty, and stays apart from the store. */
function find(state: State, id: string): SessionState {
  const session = { id, parentId: null, serverId: null };
  const numbers = { epoch: 0, revision: 0, sweptThrough: 0, goneThrough: null, addressed: false };
  return (
    state.sessions.get(id) ?? {
      session,
      ...numbers,
      messages: [],
      identities: new Set(),
      participants: new Map(),
      summaries: [],
    }
  );
}

/** The state of a session, stored when it was not yet. */
function ensure(state: State, id: string): SessionState {
  const session = find(state, id);
  state.sessions.set(id, session);
  return session;
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

function sessionVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'openSession' | 'findSession' | 'listSessions'> &
  Omit<SessionStore, 'removeSession' | 'removeServer' | 'loadFact' | 'saveFact'> {
  const sessions = () => [...state.sessions.values()].map(({ session }) => session);
  return {
    openSession: ({ id, parentId, serverId }) =>
      run(() => {
        ensure(state, id).session = { id, parentId, serverId };
      }),
    findSession: (sessionId) => run(() => state.sessions.get(sessionId)?.session ?? null),
    listSessions: (afterId, limit) =>
      run(() =>
        sessions()
          .filter(({ id }) => id > afterId)
          .sort(byId)
          .slice(0, limit),
      ),
    markAddressed: (sessionId) =>
      run(() => {
        find(state, sessionId).addressed = true;
      }),
    wasAddressed: (sessionId) => run(() => find(state, sessionId).addressed),
    missedSince: (sessionId) => run(() => sessionMissedSince(find(state, sessionId))),
    platformIdsSince: (sessionId, fromAt, limit) =>
      run(() =>
        find(state, sessionId)
          .messages.filter(({ role, createdAt }) => role === 'user' && createdAt >= fromAt)
          .reverse()
          .slice(0, limit)
          .map(({ platformId }) => platformId),
      ),
    servers: () => run(() => [...new Set(sessions().flatMap(({ serverId }) => serverId ?? []))]),
    sessionsOfServer: (serverId) => run(() => sessions().filter((session) => session.serverId === serverId)),
    threadsOf: (sessionId) => run(() => sessions().filter(({ parentId }) => parentId === sessionId)),
  };
}

function sessionMissedSince({ messages, goneThrough }: SessionState): number | null {
  return missedSince(receivedAt(newestUserMessage(messages)), goneThrough);
}

function newestUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function raiseEpoch(session: SessionState): void {
  session.epoch += 1;
  session.revision += 1;
}

function messageVerbs(state: State, run: Run): Pick<ConversationStore, 'append' | 'appendAll' | 'saveCounts'> {
  return {
    append: (message) => run(() => append(state, message)),
    appendAll: (batch) =>
      run(() => batch.map((message) => append(state, message)).filter((message) => message !== null)),
    saveCounts: (counts) => run(() => saveCounts(state, counts)),
  };
}

function append(state: State, message: NewMessage): Message | null {
  const { sessionId, platformId } = message;
  if (state.tombstones.get(sessionId)?.has(platformId)) return null;
  const session = ensure(state, sessionId);
  if (session.identities.has(identityOf(message))) return null;
  state.lastSeq += 1;
  return insert(session, { ...message, seq: state.lastSeq, tokens: null, encoding: null });
}

/** Stores a message in its place by `seq`, its texts cleaned. */
function insert(session: SessionState, message: Message): Message {
  const { quote, text, authorName } = message;
  const stored = {
    ...message,
    text: cleanText(text),
    authorName: cleanText(authorName),
    quote: quote && { ...quote, authorName: cleanText(quote.authorName), text: cleanText(quote.text) },
  };
  const before = session.messages.findLastIndex(({ seq }) => seq < message.seq);
  session.messages.splice(before + 1, 0, stored);
  session.identities.add(identityOf(message));
  for (const { authorId, name } of participantsIn(message)) {
    session.participants.set(authorId, addName(session.participants.get(authorId) ?? '', name));
  }
  return stored;
}

/** Removes messages and returns them; when the newest of a person is among them, `goneThrough` keeps its time. */
function remove(session: SessionState, goes: (message: Message) => boolean): Message[] {
  const newest = newestUserMessage(session.messages);
  const removed = session.messages.filter(goes);
  const gone = new Set(removed);
  session.messages = session.messages.filter((message) => !gone.has(message));
  for (const message of removed) session.identities.delete(identityOf(message));
  const at = receivedAt(newest);
  if (at !== null && newestUserMessage(session.messages) !== newest) {
    session.goneThrough = Math.max(session.goneThrough ?? at, at);
  }
  return removed;
}

function identityOf({ role, platformId }: Pick<Message, 'role' | 'platformId'>): string {
  return keyOf(role, platformId);
}

function saveCounts(state: State, counts: readonly TokenCount[]): void {
  for (const { seq, tokens, encoding, countedText: counted } of counts) {
    for (const { messages } of state.sessions.values()) {
      const message = messages.find((row) => row.seq === seq);
      if (message === undefined) continue;
      const { text, quoteText } = countedTextOf(message);
      const same = counted === undefined || (counted.text === text && counted.quoteText === quoteText);
      if (same) Object.assign(message, { tokens, encoding });
    }
  }
}

function turnVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'storeAnswer' | 'settleTurn' | 'failTurn' | 'pendingSessions'> &
  Pick<DeliveryStore, 'unfinishedAnswer'> {
  return {
    unfinishedAnswer: (sessionId) => run(() => unfinishedAnswer(state, sessionId)),
    storeAnswer: (turn, answer) => run(() => storeAnswer(state, turn, answer)),
    settleTurn: ({ sessionId, answerSeq, questions }) =>
      run(() => {
        const session = find(state, sessionId);
        settle(session, [...questions.map(({ seq }) => seq), answerSeq], 'answered');
        return session.messages.some(({ seq, role }) => seq === answerSeq && role === 'assistant');
      }),
    failTurn: (turn) =>
      run(() => {
        const session = find(state, turn.sessionId);
        dropUndelivered(session, turn);
        const seqs = turn.questions.map(({ seq }) => seq);
        settle(session, seqs, 'failed');
      }),
    pendingSessions: () =>
      run(() =>
        [...state.sessions.values()]
          .flatMap(({ session, messages }) => {
            const questions = messages.filter(({ role, state: now }) => role === 'user' && now === 'pending');
            if (questions.length === 0) return [];
            return [{ session, oldestAt: Math.min(...questions.map(({ createdAt }) => createdAt)) }];
          })
          .sort((a, b) => a.oldestAt - b.oldestAt || byId(a.session, b.session)),
      ),
  };
}

function unfinishedAnswer(state: State, sessionId: string): UnfinishedAnswer | null {
  const { epoch, messages } = find(state, sessionId);
  const first = messages.find((row) => row.role === 'user' && row.state === 'pending')?.seq ?? Number.POSITIVE_INFINITY;
  const questions = messages.filter(({ role, seq }) => role === 'user' && seq >= first);
  if (questions.length === 0) return null;
  state.lastSeq += 1;
  const answer = messages.find((row) => row.role === 'assistant' && row.state === 'pending') ?? null;
  const turn = resumedTurn({ sessionId, epoch, answerSeq: state.lastSeq, questions }, answer);
  return { turn, answer, deliveries: deliveriesOf(state, sessionId, triggerIdOf(turn)) };
}

function storeAnswer(state: State, turn: Turn, answer: Answer): Message | null {
  const session = find(state, turn.sessionId);
  const trigger = triggerOf(turn);
  if (trigger === undefined || turn.epoch !== session.epoch) return null;
  const exchange = session.messages.filter(({ platformId }) => platformId === trigger.platformId);
  const waits = exchange.every((row) => row.state === 'pending');
  if (!waits || !exchange.some(({ seq }) => seq === trigger.seq)) return null;
  dropUndelivered(session, turn);
  const { tokens, encoding } = answer;
  const stored = insert(session, { ...answerMessage(trigger, answer), seq: turn.answerSeq, tokens, encoding });
  saveCounts(state, questionCounts(turn, answer.counts));
  return stored;
}

function settle({ messages }: SessionState, seqs: readonly number[], state: 'answered' | 'failed'): void {
  for (const message of messages) {
    if (message.state === 'pending' && seqs.includes(message.seq)) message.state = state;
  }
}

function dropUndelivered(session: SessionState, { questions, answerTo }: Turn): void {
  const ids = [...questions.map(({ platformId }) => platformId), answerTo];
  remove(session, (row) => row.role === 'assistant' && row.state === 'pending' && ids.includes(row.platformId));
}

function historyVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'loadHistory' | 'loadSpan' | 'reachedFrom' | 'sessionFacts'> {
  return {
    loadHistory: (sessionId, reach, beforeSeq) => run(() => loadHistory(find(state, sessionId), reach, beforeSeq)),
    loadSpan: (sessionId, afterSeq, throughSeq, limit) =>
      run(() => {
        const settled = find(state, sessionId).messages.filter((row) => row.state !== 'pending');
        return settled.filter(({ seq }) => seq > afterSeq && seq <= throughSeq).slice(0, limit);
      }),
    reachedFrom: (sessionId, reach, at) =>
      run(() => {
        const session = find(state, sessionId);
        const floor = reach.summary ? watermarkAt(session, at) : 0;
        const inRange = ({ seq, createdAt }: Message) => seq > floor && createdAt <= at;
        const { found, complete } = scan(session, reach, inRange);
        return complete ? null : (found[0]?.seq ?? null);
      }),
    sessionFacts: (sessionId) =>
      run(() => {
        const { epoch, sweptThrough, messages, summaries } = find(state, sessionId);
        return { epoch, messages: messages.length, sweptThrough, summaries };
      }),
  };
}

function loadHistory(session: SessionState, reach: Reach, beforeSeq = Number.POSITIVE_INFINITY): History {
  const { summary, dirtyThrough } = reach.summary ? newestSummary(session) : { summary: null, dirtyThrough: null };
  const before = Math.min(beforeSeq, firstPending(session));
  const floor = summary?.throughSeq ?? 0;
  const { found, complete } = scan(session, reach, ({ seq }) => seq > floor && seq < before);
  const { epoch, revision } = session;
  return { sessionId: session.session.id, epoch, revision, summary, messages: found, complete, dirtyThrough };
}

function firstPending({ messages }: SessionState): number {
  return messages.find(({ state }) => state === 'pending')?.seq ?? Number.POSITIVE_INFINITY;
}

/** The newest settled messages of a range within a reach, oldest first; `complete` when none of the range lies before. */
function scan({ messages }: SessionState, reach: Reach, inRange: (message: Message) => boolean) {
  const range = messages.filter((message) => message.state !== 'pending' && inRange(message)).reverse();
  const passes = createReachCounter(reach);
  const last = range.findIndex((message) => passes(message));
  const found = last === -1 ? range : range.slice(0, last + 1);
  return { found: found.reverse(), complete: found.length === range.length };
}

/** The newest clean summary, which may be sent, and how far a dirty one above it reaches. */
function newestSummary({ summaries }: SessionState): { summary: Summary | null; dirtyThrough: number | null } {
  const top = summaries.at(-1);
  const summary = summaries.findLast(({ dirty }) => !dirty) ?? null;
  return { summary, dirtyThrough: top?.dirty ? top.throughSeq : null };
}

/** How far the clean summaries reached that were made until a time; 0 without one. */
function watermarkAt({ summaries }: SessionState, at: number): number {
  return summaries.findLast(({ dirty, createdAt }) => !dirty && createdAt <= at)?.throughSeq ?? 0;
}

function compactionVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'saveSummary' | 'rewriteSummary' | 'dropSummary' | 'sweep' | 'sweepTombstones'> {
  return {
    saveSummary: (next, check) => run(() => saveSummary(state, next, check)),
    rewriteSummary: (id, next, epoch) => run(() => rewriteSummary(find(state, next.sessionId), id, next, epoch)),
    dropSummary: (id) =>
      run(() => {
        for (const session of state.sessions.values()) {
          session.summaries = session.summaries.filter((summary) => summary.id !== id);
        }
      }),
    sweep: (sessionId, cut, limit) => run(() => sweep(state, find(state, sessionId), cut, limit)),
    sweepTombstones: (until) =>
      run(() => {
        for (const ofSession of state.tombstones.values()) {
          for (const [platformId, at] of ofSession) if (at <= until) ofSession.delete(platformId);
        }
      }),
  };
}

function saveSummary(state: State, next: NewSummary, check: SummaryCheck): boolean {
  const before = find(state, next.sessionId);
  if (before.epoch !== check.epoch || before.revision !== check.revision) return false;
  const { summary: previous } = newestSummary(before);
  if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > next.throughSeq) return false;
  if (firstPending(before) <= next.throughSeq) return false;
  const session = ensure(state, next.sessionId);
  addSummary(state, session, { ...next, text: cleanText(next.text), dirty: false });
  if (check.dropCovered) removeSwept(session, ({ seq }) => seq <= next.throughSeq);
  dropSuperseded(session);
  return true;
}

function rewriteSummary(session: SessionState, id: number, next: NewSummary, epoch: number): boolean {
  const dirty = session.summaries.find((summary) => summary.id === id && summary.dirty);
  if (session.epoch !== epoch || dirty === undefined) return false;
  Object.assign(dirty, next, { text: cleanText(next.text), dirty: false });
  sortSummaries(session);
  dropSuperseded(session);
  return true;
}

function addSummary(state: State, session: SessionState, summary: Omit<Summary, 'id'>): Summary {
  state.lastSummaryId += 1;
  const added = { ...summary, id: state.lastSummaryId };
  session.summaries.push(added);
  sortSummaries(session);
  return added;
}

function sortSummaries({ summaries }: SessionState): void {
  summaries.sort((a, b) => a.throughSeq - b.throughSeq || a.id - b.id);
}

/** Drops what the newest clean summary supersedes: dirty ones below it, and clean ones without a row between the two. */
function dropSuperseded(session: SessionState): void {
  const { summary: newest } = newestSummary(session);
  if (newest === null) return;
  const hasRowAbove = (low: number) => session.messages.some(({ seq }) => seq > low && seq <= newest.throughSeq);
  session.summaries = session.summaries.filter((summary) => {
    if (summary === newest || summary.throughSeq > newest.throughSeq) return true;
    return !summary.dirty && hasRowAbove(summary.throughSeq);
  });
}

function sweep(state: State, session: SessionState, cut: SweepCut, limit: number): number {
  const through = Math.max(watermarkAt(session, cut.coveredUntil), (cut.unreachedBelow ?? 0) - 1);
  const settled = session.messages.filter((row) => row.seq <= through && row.state !== 'pending');
  const due = new Set(settled.slice(0, limit));
  removeSwept(session, (message) => due.has(message));
  if (due.size > 0) dropSuperseded(session);
  return due.size + removeStaleDeliveries(state, session, limit);
}

function removeSwept(session: SessionState, goes: (message: Message) => boolean): void {
  for (const { seq } of remove(session, goes)) session.sweptThrough = Math.max(session.sweptThrough, seq);
}

function erasureVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'edit' | 'erase' | 'forgetSession' | 'forgetAuthor' | 'forgetLast'> &
  Pick<DeliveryStore, 'eraseAnswer'> &
  Pick<SessionStore, 'removeSession'> {
  return {
    edit: (sessionId, platformId, text) => run(() => editMessage(state, find(state, sessionId), platformId, text)),
    erase: (sessionId, platformIds, at) => run(() => eraseMessages(state, sessionId, platformIds, at)),
    eraseAnswer: (sessionId, answerTo) => run(() => eraseAnswer(state, find(state, sessionId), answerTo)),
    forgetSession: (sessionId) => run(() => forgetSession(ensure(state, sessionId))),
    forgetAuthor: (sessionId, authorId) => run(() => forgetAuthor(state, ensure(state, sessionId), authorId)),
    forgetLast: (sessionId, authorId) => run(() => forgetLast(state, find(state, sessionId), authorId)),
    removeSession: (sessionId) =>
      run(() => {
        const session = ensure(state, sessionId);
        forgetSession(session);
        const nothing = { parentId: null, serverId: null };
        Object.assign(session, { session: { id: sessionId, ...nothing }, goneThrough: null, addressed: false });
        state.deliveries = state.deliveries.filter((delivery) => delivery.sessionId !== sessionId);
        deleteScope(state, sessionId);
      }),
  };
}

function editMessage(state: State, session: SessionState, platformId: string, given: string): boolean {
  const text = cleanText(given);
  const own = session.messages.filter(
    (row) => row.role === 'user' && row.platformId === platformId && row.text !== text,
  );
  const quoting = session.messages.filter(({ quote }) => quote?.platformId === platformId && quote.text !== text);
  for (const message of own) message.text = text;
  for (const { quote } of quoting) if (quote !== null) quote.text = text;
  const changed = [...own, ...quoting];
  for (const message of changed) Object.assign(message, { tokens: null, encoding: null });
  if (changed.length === 0) return false;
  markDirty(state, session, changed);
  session.revision += 1;
  return true;
}

function eraseMessages(state: State, sessionId: string, platformIds: readonly string[], at: number): Erased {
  const session = find(state, sessionId);
  const ids = new Set(platformIds);
  const rows = session.messages.filter(({ platformId }) => ids.has(platformId));
  const own = rows.filter(({ role }) => role === 'user');
  const named = answersNamed(rows, state.tombstones.get(sessionId));
  const answered = answersTo(session, own.filter(isOpenOrAnswered));
  const tombstones = platformIds.map((platformId) => ({ platformId, createdAt: at }));
  addTombstones(state, sessionId, tombstones);
  const erased = new Set(own);
  remove(session, (message) => erased.has(message));
  const orphans = answersWithoutQuestion(session, answered);
  const answers = remove(session, (message) => named.includes(message) || orphans.includes(message));
  const quoting = unquote(session, ({ platformId }) => ids.has(platformId));
  const changed = [...own, ...answers, ...quoting];
  if (changed.length > 0) session.revision += 1;
  const dirty = markDirty(state, session, changed);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

/** An answer carries its trigger's id, so it is meant itself only where no question of that id is or was stored. */
function answersNamed(rows: readonly Message[], tombstones: ReadonlyMap<string, number> | undefined): Message[] {
  const questions = new Set(rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId));
  return rows.filter(
    ({ role, platformId }) => role === 'assistant' && !questions.has(platformId) && !tombstones?.has(platformId),
  );
}

/** The `seq`s of the answers to what people said. */
function answersTo({ messages }: SessionState, userRows: readonly Message[]): Set<number> {
  const answers = messages.filter(({ role }) => role === 'assistant').map(({ seq }) => seq);
  const seqs = userRows.map(({ seq }) => seq);
  return new Set(matchAnswers(seqs, answers));
}

/** Those of these answers between which and the answer before no question is left. */
function answersWithoutQuestion({ messages }: SessionState, answers: ReadonlySet<number>): Message[] {
  let asked = false;
  return messages.filter((message) => {
    const orphaned = message.role === 'assistant' && !asked;
    if (message.role === 'assistant') asked = false;
    else if (isOpenOrAnswered(message)) asked = true;
    return orphaned && answers.has(message.seq);
  });
}

function eraseAnswer(state: State, session: SessionState, answerTo: string): Erased {
  const erased = remove(session, ({ role, platformId }) => role === 'assistant' && platformId === answerTo);
  if (erased.length === 0) return NOTHING_ERASED;
  session.revision += 1;
  return { ...NOTHING_ERASED, answers: erased.length, ...markDirty(state, session, erased) };
}

function forgetSession(session: SessionState): Erased {
  const erased = remove(session, () => true);
  const messages = erased.filter(({ role }) => role === 'user').length;
  const summaries = session.summaries.length;
  Object.assign(session, { participants: new Map(), summaries: [], sweptThrough: 0 });
  raiseEpoch(session);
  return { ...NOTHING_ERASED, messages, answers: erased.length - messages, summaries };
}

function forgetAuthor(state: State, session: SessionState, authorId: string): Erased {
  const own = session.messages.filter((row) => row.role === 'user' && row.authorId === authorId);
  const answered = answersTo(session, own);
  const erased = new Set(own);
  remove(session, (message) => erased.has(message));
  const answers = remove(session, ({ seq }) => answered.has(seq));
  addTombstones(state, session.session.id, own);
  const quotes = session.messages.flatMap(({ quote }) => (quote?.authorId === authorId ? quote : []));
  const quoting = unquote(session, (quote) => quote.authorId === authorId);
  const knownNames = session.participants.get(authorId);
  session.participants.delete(authorId);
  raiseEpoch(session);
  const swept = knownNames !== undefined && session.sweptThrough > 0 ? [{ seq: 0 }] : [];
  const dirty = markDirty(state, session, [...own, ...answers, ...quoting, ...swept]);
  const foundNames = [...own, ...quotes].map(({ authorName }) => authorName);
  const names = mergeNames(knownNames ?? '', foundNames);
  return { messages: own.length, answers: answers.length, summaries: 0, names, ...dirty };
}

function forgetLast(state: State, session: SessionState, authorId: string | null): Erased {
  const turn = newestTurn(session);
  const own = turn.questions.filter((row) => authorId === null || row.authorId === authorId);
  if (own.length === 0 && (authorId !== null || turn.answer === undefined)) return NOTHING_ERASED;
  const answers = remove(session, (message) => message === turn.answer);
  remove(session, (message) => own.includes(message));
  addTombstones(state, session.session.id, own);
  const ids = own.map(({ platformId }) => platformId);
  const quoting = unquote(session, ({ platformId }) => ids.includes(platformId));
  raiseEpoch(session);
  const dirty = markDirty(state, session, [...own, ...answers, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn({ messages }: SessionState): { questions: Message[]; answer: Message | undefined } {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const since = messages.slice(lastAnswer + 1);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined)
    return { questions: since.filter(({ seq }) => seq >= unanswered.seq), answer: undefined };
  const before = messages.slice(0, Math.max(lastAnswer, 0));
  const userRows = before.slice(before.findLastIndex(({ role }) => role === 'assistant') + 1);
  const first = (firstQuestion(userRows) ?? userRows.at(-1))?.seq ?? 0;
  return { questions: userRows.filter(({ seq }) => seq >= first), answer: messages[lastAnswer] };
}

/** Keeps messages from being stored when they come late or again. */
function addTombstones(
  { tombstones }: State,
  sessionId: string,
  erased: readonly Pick<Message, 'platformId' | 'createdAt'>[],
): void {
  const ofSession = tombstones.get(sessionId) ?? new Map<string, number>();
  for (const { platformId, createdAt } of erased) {
    if (!ofSession.has(platformId)) ofSession.set(platformId, createdAt);
  }
  tombstones.set(sessionId, ofSession);
}

/** Removes quotes, and returns the messages that carried them. */
function unquote({ messages }: SessionState, goes: (quote: Quote) => boolean): Message[] {
  const quoting = messages.filter(({ quote }) => quote !== null && goes(quote));
  for (const message of quoting) Object.assign(message, { quote: null, tokens: null, encoding: null });
  return quoting;
}

/** Replaces the summaries that reach the lowest of the changed rows by one that is dirty, without a text, under a new id. */
function markDirty(
  state: State,
  session: SessionState,
  changed: readonly Pick<Message, 'seq'>[],
): Pick<Erased, 'dirtied' | 'unrebuildable'> {
  const lowest = changed.reduce((min, { seq }) => Math.min(min, seq), Number.POSITIVE_INFINITY);
  const reached = session.summaries.filter(({ throughSeq }) => throughSeq >= lowest);
  const before = reached.at(-1);
  if (before === undefined) return { dirtied: 0, unrebuildable: null };
  session.summaries = session.summaries.filter((summary) => !reached.includes(summary));
  const dirty = addSummary(state, session, { ...before, text: '', tokens: 0, dirty: true });
  const dirtied = reached.filter((summary) => !summary.dirty).length;
  const { summary: clean } = newestSummary(session);
  const rebuildable = isRebuildable(dirty, clean, session.sweptThrough);
  return { dirtied, unrebuildable: rebuildable ? null : { ...dirty, text: before.text } };
}

function deliveryVerbs(state: State, run: Run): Omit<DeliveryStore, 'unfinishedAnswer' | 'eraseAnswer'> {
  return {
    planDelivery: (delivery) =>
      run(() => {
        const planned = deliveriesOf(state, delivery.sessionId, delivery.answerTo);
        const known = planned.find(({ chunk }) => chunk === delivery.chunk);
        if (known === undefined) state.deliveries.push({ ...delivery });
        return known ?? delivery;
      }),
    confirmDelivery: (sessionId, answerTo, chunk, messageId) =>
      run(() => {
        const planned = deliveriesOf(state, sessionId, answerTo).find((delivery) => delivery.chunk === chunk);
        if (planned !== undefined) planned.messageId = messageId;
      }),
    dropDeliveries: (sessionId, answerTo, fromChunk) =>
      run(() => {
        const rest = deliveriesOf(state, sessionId, answerTo).filter(({ chunk }) => chunk >= fromChunk);
        state.deliveries = state.deliveries.filter((delivery) => !rest.includes(delivery));
      }),
    deliveriesOf: (sessionId, answerTo) => run(() => deliveriesOf(state, sessionId, answerTo)),
    answeredBy: (sessionId, messageId) =>
      run(() => {
        const ofSession = state.deliveries.filter((delivery) => delivery.sessionId === sessionId);
        return ofSession.find((delivery) => delivery.messageId === messageId)?.answerTo ?? null;
      }),
  };
}

function deliveriesOf({ deliveries }: State, sessionId: string, answerTo: string): Delivery[] {
  return deliveries
    .filter((delivery) => delivery.sessionId === sessionId && delivery.answerTo === answerTo)
    .sort((a, b) => a.chunk - b.chunk);
}

/**
 * Removes the deliveries of at most `limit` answers of which neither question nor answer is stored; returns how many that
 * were. While something waits in a session all of its deliveries stay, since an answer in the making has no row yet.
 */
function removeStaleDeliveries(state: State, { session, messages }: SessionState, limit: number): number {
  if (messages.some((row) => row.state === 'pending')) return 0;
  const stored = new Set(messages.map(({ platformId }) => platformId));
  const stale = state.deliveries.filter(({ sessionId, answerTo }) => sessionId === session.id && !stored.has(answerTo));
  const answers = new Set([...new Set(stale.map(({ answerTo }) => answerTo))].sort().slice(0, limit));
  const removed = new Set(stale.filter(({ answerTo }) => answers.has(answerTo)));
  state.deliveries = state.deliveries.filter((delivery) => !removed.has(delivery));
  return removed.size;
}

function personVerbs(state: State, run: Run): PersonStore {
  const { optOuts } = state;
  return {
    setOptOut: (scopeId, authorId, optedOut) =>
      run(() => {
        const key = keyOf(scopeId, authorId);
        if (!optedOut) optOuts.delete(key);
        else if (!optOuts.has(key)) optOuts.set(key, { scopeId, told: false });
      }),
    optOut: (scopeId, authorId) =>
      run(() => {
        const known = optOuts.get(keyOf(scopeId, authorId));
        return { optedOut: known !== undefined, told: known?.told ?? false };
      }),
    markTold: (scopeId, authorId) =>
      run(() => {
        const known = optOuts.get(keyOf(scopeId, authorId));
        if (known !== undefined) known.told = true;
      }),
    sessionsOfAuthor: (scopeId, authorId) =>
      run(() =>
        [...state.sessions.values()]
          .filter(({ session, participants }) => isInScope(session, scopeId) && participants.has(authorId))
          .map(({ session }) => session)
          .sort(byId),
      ),
    findMessage: (sessionId, platformId) =>
      run(() => {
        const { messages } = find(state, sessionId);
        return messages.find((row) => row.role === 'user' && row.platformId === platformId) ?? null;
      }),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      run(() => {
        const own = find(state, sessionId).messages.filter((row) => row.role === 'user' && row.authorId === authorId);
        return own.filter(({ seq }) => seq > afterSeq).slice(0, limit);
      }),
  };
}

function isInScope({ id, serverId }: Session, scopeId: string): boolean {
  return id === scopeId || (serverId !== null && serverScope(serverId) === scopeId);
}

function settingVerbs(
  state: State,
  run: Run,
): Pick<ConversationStore, 'loadSettings' | 'saveSetting'> &
  Pick<SessionStore, 'removeServer' | 'loadFact' | 'saveFact'> {
  const { settings, facts } = state;
  return {
    loadSettings: (scopeIds) => run(() => [...settings.values()].filter(({ scopeId }) => scopeIds.includes(scopeId))),
    saveSetting: (scopeId, key, value, updatedAt) =>
      run(() => {
        if (value === undefined) settings.delete(keyOf(scopeId, key));
        else settings.set(keyOf(scopeId, key), { scopeId, key, value: structuredClone(value), updatedAt });
      }),
    removeServer: (serverId) => run(() => deleteScope(state, serverScope(serverId))),
    loadFact: (name) => run(() => facts.get(name) ?? null),
    saveFact: (name, value) => run(() => void (value === null ? facts.delete(name) : facts.set(name, value))),
  };
}

/** Deletes the settings and opt-outs of a scope. */
function deleteScope({ settings, optOuts }: State, wanted: string): void {
  for (const [key, { scopeId }] of settings) if (scopeId === wanted) settings.delete(key);
  for (const [key, { scopeId }] of optOuts) if (scopeId === wanted) optOuts.delete(key);
}

function usageVerbs(state: State, run: Run): UsageStore {
  return {
    reserve: (payer, reserved, limits) =>
      run(() => {
        const before = used(state, payer);
        const granted = isWithin(before, reserved, limits);
        if (granted) charge(state, payer, reserved, 0);
        return { ...before, granted };
      }),
    settle: (payer, reserved, cost) => run(() => charge(state, payer, cost - reserved, 1)),
    used: (payer) => run(() => used(state, payer)),
    account: (scope, fromDay) =>
      run(() =>
        state.usage
          .filter(({ scopeId, day }) => scopeId === scope && day >= fromDay)
          .map(({ scopeId: _, ...row }) => row)
          .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
      ),
    sweepUsage: (beforeDay) =>
      run(() => {
        state.usage = state.usage.filter(({ day }) => day >= beforeDay);
      }),
  };
}

function used({ usage }: State, payer: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): TokensUsed {
  const ofDay = usage.filter(({ scopeId, day }) => scopeId === payer.scopeId && day === payer.day);
  const sum = (rows: readonly UsageRow[]) => rows.reduce((total, { tokens }) => total + tokens, 0);
  return { server: sum(ofDay), person: sum(ofDay.filter(({ authorId }) => authorId === payer.authorId)) };
}

function charge({ usage }: State, payer: Payer, tokens: number, calls: number): void {
  const keyOfPayer = ({ scopeId, day, authorId, sessionId }: Payer) => keyOf(scopeId, day, authorId, sessionId);
  const row = usage.find((known) => keyOfPayer(known) === keyOfPayer(payer));
  if (row === undefined) usage.push({ ...payer, tokens, calls });
  else Object.assign(row, { tokens: row.tokens + tokens, calls: row.calls + calls });
}

function archiveVerbs(state: State, run: Run): ArchiveStore {
  return {
    importSession: (sessionId, rows, imported, heardUntil) =>
      run(() => importSession(state, sessionId, rows, imported, heardUntil)),
  };
}

function importSession(
  state: State,
  sessionId: string,
  rows: readonly NewMessage[],
  imported: readonly ImportedSummary[],
  heardUntil: number,
): number | null {
  const before = find(state, sessionId);
  if (before.messages.length > 0 || before.summaries.length > 0) return null;
  const session = ensure(state, sessionId);
  state.lastSeq += 1;
  const base = state.lastSeq;
  const tombstones = state.tombstones.get(sessionId);
  const stored = rows.map((row) => {
    const erased = tombstones?.has(originalId(row.platformId)) === true;
    return erased ? null : (append(state, { ...row, sessionId })?.seq ?? null);
  });
  for (const summary of placedSummaries(sessionId, imported, stored, base)) {
    addSummary(state, session, { ...summary, text: cleanText(summary.text), dirty: false });
  }
  if (imported.some(({ beyond }) => beyond)) session.sweptThrough = base;
  dropSuperseded(session);
  if (sessionMissedSince(session) === null) session.goneThrough = heardUntil;
  session.revision += 1;
  return stored.filter((seq) => seq !== null).length;
}
