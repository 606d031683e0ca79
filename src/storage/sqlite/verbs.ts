import type { ConversationStore, Erased } from '../../conversation/store.js';
import { editMessage } from './edit.js';
import { eraseMessages } from './erase.js';
import { readFacts } from './facts.js';
import { forgetAuthor, forgetSession } from './forget.js';
import { forgetLast } from './forget-last.js';
import type { Parts } from './parts.js';
import { pendingSessions } from './sessions.js';
import type { Write } from './write-queue.js';

/** Runs a reading at once, on what is committed. */
export type Read = <T>(work: () => T) => Promise<T>;

/** Queues a write; resolves when it is durable. */
export type Add = <T>(write: Write<T>) => Promise<T>;

/** The verbs that take in and answer. */
export function talkVerbs({ db, sessions, messages, saveCounts, turns }: Parts, read: Read, add: Add) {
  return {
    async openSession(session) {
      const known = await read(() => sessions.find(session.id));
      if (known?.parentId === session.parentId && known.serverId === session.serverId) return;
      await add({ name: 'session', run: () => sessions.save(session) });
    },
    findSession: (sessionId) => read(() => sessions.find(sessionId)),
    listSessions: (afterId, limit) => read(() => sessions.list(afterId, limit)),
    append: (message) => add({ name: 'append', run: () => messages.append(message) }),
    appendAll: (batch) => add({ name: 'append', run: () => messages.appendAll(batch) }),
    saveCounts: (counts) => add({ name: 'counts', run: () => saveCounts(counts) }),
    openTurn: (sessionId) => read(() => turns.open(sessionId)),
    storeAnswer: (turn, answer) => add({ name: 'answer', run: () => turns.storeAnswer(turn, answer) }),
    settleTurn: (turn) => add({ name: 'settle', run: () => turns.settle(turn) }),
    failTurn: (turn) => add({ name: 'fail', run: () => turns.fail(turn) }),
    pendingSessions: () => read(() => pendingSessions(db)),
  } satisfies Partial<ConversationStore>;
}

/** The verbs that recall and set. */
export function recallVerbs(parts: Parts, read: Read, add: Add) {
  const { db, sessions, summaries, writes, histories, messages, folding, settings, heard } = parts;
  return {
    loadHistory: (sessionId, reach, beforeSeq) => read(() => histories.load(sessionId, reach, beforeSeq)),
    loadSpan: (sessionId, after, through, limit) => read(() => messages.span(sessionId, after, through, limit)),
    sessionFacts: (sessionId) => read(() => readFacts(db, sessions, summaries, sessionId)),
    saveSummary: (next, check) =>
      add({
        name: 'summary',
        erases: check.dropCovered,
        run: () => heard.across(next.sessionId, () => folding.save(next, check)),
      }),
    rewriteSummary: (id, next, epoch) =>
      add({ name: 'summary', erases: true, run: () => folding.rewrite(id, next, epoch) }),
    dropSummary: (id) => add({ name: 'summary', erases: true, run: () => writes.drop(id) }),
    loadSettings: (scopeIds) => read(() => settings.load(scopeIds)),
    saveSetting: (scopeId, key, value, at) =>
      add({ name: 'setting', run: () => settings.save(scopeId, key, value, at) }),
  } satisfies Partial<ConversationStore>;
}

/** The verbs that change, erase and let go. */
export function erasureVerbs(parts: Parts, read: Read, add: Add) {
  const { histories, sweeping, heard, sessions } = parts;
  const erases = true;
  const erase = <T>(name: string, sessionId: string, run: () => T) =>
    add({ name, erases, run: () => heard.across(sessionId, run) });
  /** Most of what is deleted on a platform was never stored, and to empty the log costs far more than to find that out. */
  const eraseAny = (sessionId: string, run: () => Erased) => {
    const revision = () => sessions.state(sessionId).revision;
    let before = 0;
    return add({
      name: 'erase',
      erases: () => revision() !== before,
      run: () => {
        before = revision();
        return heard.across(sessionId, run);
      },
    });
  };
  return {
    edit: (sessionId, platformId, text) =>
      add({ name: 'edit', erases, run: () => editMessage(parts, sessionId, platformId, text) }),
    erase: (sessionId, platformIds, at) => eraseAny(sessionId, () => eraseMessages(parts, sessionId, platformIds, at)),
    forgetSession: (sessionId) => erase('forget', sessionId, () => forgetSession(parts, sessionId)),
    forgetAuthor: (sessionId, authorId) => erase('forget', sessionId, () => forgetAuthor(parts, sessionId, authorId)),
    forgetLast: (sessionId, authorId) => erase('forget', sessionId, () => forgetLast(parts, sessionId, authorId)),
    reachedFrom: (sessionId, reach, at) => read(() => histories.reachedFrom(sessionId, reach, at)),
    async sweep(sessionId, cut, limit) {
      if (!(await read(() => sweeping.isDue(sessionId, cut)))) return 0;
      return erase('sweep', sessionId, () => sweeping.sweep(sessionId, cut, limit));
    },
    sweepTombstones: (until) => add({ name: 'sweep', run: () => sweeping.sweepTombstones(until) }),
  } satisfies Partial<ConversationStore>;
}
