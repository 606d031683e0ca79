import type { ArchiveStore } from '../../conversation/archive.js';
import {
  type ConversationStore,
  type DeliveryStore,
  type Erased,
  type PersonStore,
  type SessionStore,
  type Store,
  triggerIdOf,
  type UsageStore,
} from '../../conversation/store.js';
import { importSession } from './archive-import.js';
import { type Client, toStorageError } from './connection.js';
import { editMessage, eraseMessages, forgetAuthor, forgetLast, forgetSession } from './erasure.js';
import { readFacts } from './history.js';
import { pendingSessions } from './sessions.js';
import { prepareStatements, type Statements } from './statements.js';
import { resumedTurn } from './turns.js';
import { isWithin } from './usage.js';
import { closedError, createWriteQueue, type Write } from './write-queue.js';

/** Runs a reading at once, on what is committed. */
type Read = <T>(work: () => T) => Promise<T>;

/** Queues a write; resolves when it is durable. */
type Add = <T>(write: Write<T>) => Promise<T>;

/** The verbs that take in and answer. */
function talkVerbs({ db, sessions, messages, saveCounts, turns }: Statements, read: Read, add: Add) {
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
    storeAnswer: (turn, answer) => add({ name: 'answer', run: () => turns.storeAnswer(turn, answer) }),
    settleTurn: (turn) => add({ name: 'settle', run: () => turns.settle(turn) }),
    failTurn: (turn) => add({ name: 'fail', run: () => turns.fail(turn) }),
    pendingSessions: () => read(() => pendingSessions(db)),
  } satisfies Partial<ConversationStore>;
}

/** The verbs that recall and set. */
function recallVerbs(parts: Statements, read: Read, add: Add) {
  const { db, sessions, summaries, writes, histories, messages, folding, settings, heard } = parts;
  return {
    loadHistory: (sessionId, reach, beforeSeq) => read(() => histories.load(sessionId, reach, beforeSeq)),
    loadSpan: (sessionId, after, through, limit) => read(() => messages.span(sessionId, after, through, limit)),
    sessionFacts: (sessionId) => read(() => readFacts(db, sessions, summaries, sessionId)),
    saveSummary: (next, check) =>
      add({
        name: 'summary',
        erases: check.dropCovered,
        run: () => heard.trackDeletion(next.sessionId, () => folding.save(next, check)),
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
function erasureVerbs(parts: Statements, read: Read, add: Add) {
  const { histories, sweeping, heard, sessions } = parts;
  const erases = true;
  const erase = <T>(name: string, sessionId: string, run: () => T) =>
    add({ name, erases, run: () => heard.trackDeletion(sessionId, run) });
  /** Most of what is deleted on a platform was never stored, and to empty the log costs far more than to find that out. */
  const eraseAny = (sessionId: string, run: () => Erased) => {
    const revision = () => sessions.state(sessionId).revision;
    let before = 0;
    return add({
      name: 'erase',
      erases: () => revision() !== before,
      run: () => {
        before = revision();
        return heard.trackDeletion(sessionId, run);
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

/** The verbs about how answers were delivered. */
function deliveryVerbs({ deliveries, turns }: Statements, read: Read, add: Add): DeliveryStore {
  return {
    planDelivery: (delivery) => add({ name: 'plan', run: () => deliveries.plan(delivery) }),
    confirmDelivery: (sessionId, answerTo, chunk, messageId) =>
      add({ name: 'confirm', run: () => deliveries.confirm(sessionId, answerTo, chunk, messageId) }),
    dropDeliveries: (sessionId, answerTo, fromChunk) =>
      add({ name: 'unplan', run: () => deliveries.dropFrom(sessionId, answerTo, fromChunk) }),
    deliveriesOf: (sessionId, answerTo) => read(() => deliveries.list(sessionId, answerTo)),
    answeredBy: (sessionId, messageId) => read(() => deliveries.answeredBy(sessionId, messageId)),
    eraseAnswer: (sessionId, answerTo) =>
      add({ name: 'erase', erases: true, run: () => deliveries.eraseAnswer(sessionId, answerTo) }),
    unfinishedAnswer: (sessionId) =>
      read(() => {
        const turn = turns.open(sessionId);
        if (turn === null) return null;
        const answer = deliveries.pendingAnswer(sessionId);
        const resumed = resumedTurn(turn, answer);
        return {
          turn: resumed,
          answer,
          deliveries: deliveries.list(sessionId, triggerIdOf(resumed)),
        };
      }),
  };
}

/** The verb that takes in a whole conversation. */
function archiveVerbs(parts: Statements, add: Add): ArchiveStore {
  return {
    importSession: (sessionId, messages, summaries, heardUntil) =>
      add({ name: 'import', run: () => importSession(parts, sessionId, messages, summaries, heardUntil) }),
  };
}

/** The verbs about people. */
function peopleVerbs({ people }: Statements, read: Read, add: Add): PersonStore {
  return {
    setOptOut: (scopeId, authorId, optedOut, at) =>
      add({ name: 'opt-out', run: () => people.setOptOut(scopeId, authorId, optedOut, at) }),
    optOut: (scopeId, authorId) => read(() => people.optOut(scopeId, authorId)),
    markTold: (scopeId, authorId) => add({ name: 'opt-out', run: () => people.markTold(scopeId, authorId) }),
    sessionsOfAuthor: (scopeId, authorId) => read(() => people.sessionsOfAuthor(scopeId, authorId)),
    findMessage: (sessionId, platformId) => read(() => people.findMessage(sessionId, platformId)),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      read(() => people.messagesOfAuthor(sessionId, authorId, afterSeq, limit)),
  };
}

/** The verbs about places and the program itself. */
function placeVerbs(parts: Statements, read: Read, add: Add): SessionStore {
  const { places, heard } = parts;
  return {
    markAddressed: (sessionId) => add({ name: 'session', run: () => places.markAddressed(sessionId) }),
    wasAddressed: (sessionId) => read(() => places.wasAddressed(sessionId)),
    missedSince: (sessionId) => read(() => heard.unheardFrom(sessionId)),
    platformIdsSince: (sessionId, fromAt, limit) => read(() => places.platformIdsSince(sessionId, fromAt, limit)),
    servers: () => read(() => places.servers()),
    sessionsOfServer: (serverId) => read(() => places.sessionsOfServer(serverId)),
    threadsOf: (sessionId) => read(() => places.childrenOf(sessionId)),
    removeSession: (sessionId) =>
      add({
        name: 'forget',
        erases: true,
        run: () => {
          forgetSession(parts, sessionId);
          places.strip(sessionId);
        },
      }),
    removeServer: (serverId) => add({ name: 'forget', run: () => places.removeServer(serverId) }),
    loadFact: (name) => read(() => places.loadFact(name)),
    saveFact: (name, value) => add({ name: 'fact', run: () => places.saveFact(name, value) }),
  };
}

/** The verbs about what was used. */
function usageVerbs({ usage: accounts }: Statements, read: Read, add: Add): UsageStore {
  return {
    reserve: (payer, tokens, limits) =>
      add({
        name: 'reserve',
        run: () => {
          const used = accounts.used(payer);
          const granted = isWithin(used, tokens, limits);
          if (granted) accounts.charge(payer, tokens, 0);
          return { ...used, granted };
        },
      }),
    settle: (payer, reserved, tokens) =>
      add({ name: 'settle-usage', run: () => accounts.charge(payer, tokens - reserved, 1) }),
    used: (of) => read(() => accounts.used(of)),
    account: (scopeId, fromDay) => read(() => accounts.account(scopeId, fromDay)),
    sweepUsage: (beforeDay) => add({ name: 'sweep', run: () => accounts.sweep(beforeDay) }),
  };
}

/**
 * A conversation store over a migrated database. Writes of one turn of the event loop are committed together, readings
 * see what is committed; `onClose` runs once, when the connection is closed.
 */
export function createSqliteStore(client: Client, onClose: () => void): Store {
  const parts = prepareStatements(client);
  const queue = createWriteQueue(client);
  const read: Read = async (work) => {
    if (!client.open) throw closedError();
    try {
      return work();
    } catch (error) {
      throw toStorageError(error);
    }
  };
  return {
    ...talkVerbs(parts, read, queue.add),
    ...recallVerbs(parts, read, queue.add),
    ...erasureVerbs(parts, read, queue.add),
    ...deliveryVerbs(parts, read, queue.add),
    ...peopleVerbs(parts, read, queue.add),
    ...placeVerbs(parts, read, queue.add),
    ...usageVerbs(parts, read, queue.add),
    ...archiveVerbs(parts, queue.add),
    async close() {
      if (!client.open) return;
      queue.close();
      client.close();
      onClose();
    },
  };
}
