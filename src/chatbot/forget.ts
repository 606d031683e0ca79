import type { Session } from '../conversation/session.js';
import type { Erased } from '../conversation/store.js';
import type { Compaction } from './compaction.js';
import { lookAfter } from './look-after.js';
import type { Parts } from './parts.js';
import { rewriteWithout } from './summary-rewrite.js';

/** What to forget: the whole session, all that a person wrote in it, or the newest turn. */
export type ForgetOrder =
  | { what: 'session' }
  | { what: 'me'; authorId: string; authorName: string }
  /** `authorId` null lets the newest turn go whoever asked; else only one's own. */
  | { what: 'last'; authorId: string | null };

/** What forgetting did. `summary` tells what became of a summary that covered erased talk. */
export type ForgetReceipt = {
  messages: number;
  answers: number;
  summary: 'none' | 'erased' | 'rebuilding' | 'rewritten' | 'dropped';
};

/** Erases what was ordered from rows and from all that was derived of them. */
export function forget(
  parts: Parts,
  compaction: Compaction,
  session: Session,
  order: ForgetOrder,
): Promise<ForgetReceipt> {
  return lookAfter(compaction, session, () => carryOut(parts, compaction, session, order));
}

async function carryOut(
  parts: Parts,
  compaction: Compaction,
  session: Session,
  order: ForgetOrder,
): Promise<ForgetReceipt> {
  const { store } = parts;
  if (order.what === 'session') {
    const erased = await store.forgetSession(session.id);
    return receipt(erased, erased.summaries > 0 ? 'erased' : 'none');
  }
  if (order.what === 'last') {
    const erased = await store.forgetLast(session.id, order.authorId);
    if (erased.dirtied > 0) compaction.enqueue(session);
    return receipt(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
  }
  return mendSummary(
    parts,
    compaction,
    session,
    order.authorName,
    await store.forgetAuthor(session.id, order.authorId),
  );
}

/**
 * Forgets a person in several sessions: what they wrote is gone from all of them before the first summary is written again,
 * which may take as long as a model likes.
 */
export async function forgetEverywhere(
  parts: Parts,
  compaction: Compaction,
  sessions: readonly Session[],
  { authorId, authorName }: { authorId: string; authorName: string },
): Promise<ForgetReceipt[]> {
  const erased: [Session, Erased][] = [];
  for (const session of sessions) {
    const rows = await lookAfter(compaction, session, () => parts.store.forgetAuthor(session.id, authorId));
    erased.push([session, rows]);
  }
  const mend = ([session, rows]: [Session, Erased]) =>
    lookAfter(compaction, session, () => mendSummary(parts, compaction, session, authorName, rows));
  return Promise.all(erased.map(mend));
}

/** Has what a forgotten person has left in a summary written anew, or rebuilt from the rows that are left. */
async function mendSummary(
  parts: Parts,
  compaction: Compaction,
  session: Session,
  authorName: string,
  erased: Erased,
): Promise<ForgetReceipt> {
  if (erased.unrebuildable !== null) {
    const rewritten = await rewriteWithout(parts, session, erased.unrebuildable, [authorName, ...erased.names]);
    compaction.enqueue(session);
    return receipt(erased, rewritten ? 'rewritten' : 'dropped');
  }
  if (erased.dirtied > 0) compaction.enqueue(session);
  return receipt(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
}

function receipt(erased: Erased, summary: ForgetReceipt['summary']): ForgetReceipt {
  return { messages: erased.messages, answers: erased.answers, summary };
}
