import type { ConversationStore } from '../../conversation/store.js';
import type { Act } from './act.js';
import { loadHistory, loadSpan, reachedFrom, sessionFacts } from './recall.js';
import { listSessions, openSession, pendingSessions } from './sessions.js';
import { loadSettings, saveSetting } from './settings.js';
import { type Shelves, shelfOf } from './shelves.js';
import { append, failTurn, openTurn, saveCounts, settleTurn, storeAnswer } from './talk.js';

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
    openTurn: (sessionId) => act(() => openTurn(shelves, sessionId)),
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
