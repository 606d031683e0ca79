import type { ConversationStore } from '../../conversation/store.js';
import type { Act } from './act.js';
import { edit, erase } from './erase.js';
import { dropSummary, rewriteSummary, saveSummary, sweep } from './folding.js';
import { forgetAuthor, forgetLast, forgetSession } from './forget.js';
import { sweepTombstones } from './marks.js';
import type { Shelves } from './shelves.js';

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
