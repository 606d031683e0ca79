import { cleanText, type Message } from '../conversation/message.js';
import { personScope, type Session } from '../conversation/session.js';
import type { Erased } from '../conversation/store.js';
import type { Dependencies } from './dependencies.js';
import { storedSession } from './sessions.js';
import { redactPersonFromSummary } from './summary-redaction.js';

/** The scope of a forget: the whole session, all that a person wrote in it, or the newest turn. */
export type ForgetOrder =
  | { what: 'session' }
  | { what: 'me'; authorId: string; authorName: string }
  /** With `authorId` null the newest turn is forgotten whoever asked; else only if this person asked. */
  | { what: 'last'; authorId: string | null };

/** The result of a forget; `summary` tells what became of a summary that covered erased messages. */
export type ForgetReceipt = {
  messages: number;
  answers: number;
  summary: 'none' | 'erased' | 'rebuilding' | 'rewritten' | 'dropped';
};

/** Erases rows of a session and everything derived from them. */
export function forget(deps: Dependencies, session: Session, order: ForgetOrder): Promise<ForgetReceipt> {
  return enqueueFoldOnFailure(deps, session, async () => {
    const { store } = deps;
    if (order.what === 'session') {
      const erased = await store.forgetSession(session.id);
      return receiptOf(erased, erased.summaries > 0 ? 'erased' : 'none');
    }
    if (order.what === 'last') return rebuildSummary(deps, session, await store.forgetLast(session.id, order.authorId));
    const erased = await store.forgetAuthor(session.id, order.authorId);
    return removeFromSummary(deps, session, order.authorName, erased);
  });
}

/** A person as a platform names them. */
export type Person = { id: string; name: string };

/** From the least to the most severe. */
const SUMMARY_RANK: ForgetReceipt['summary'][] = ['none', 'erased', 'rewritten', 'rebuilding', 'dropped'];

export async function erasePerson(deps: Dependencies, scopeId: string, person: Person): Promise<ForgetReceipt> {
  const { store } = deps;
  const erased: [Session, Erased][] = [];
  // All rows are erased before the first summary is rewritten, since a model call may take long.
  for (const session of await store.sessionsOfAuthor(scopeId, person.id)) {
    const rows = await enqueueFoldOnFailure(deps, session, () => store.forgetAuthor(session.id, person.id));
    erased.push([session, rows]);
  }
  const receipts = await Promise.all(
    erased.map(([session, rows]) =>
      enqueueFoldOnFailure(deps, session, () => removeFromSummary(deps, session, person.name, rows)),
    ),
  );
  const total: ForgetReceipt = { messages: 0, answers: 0, summary: 'none' };
  for (const { messages, answers, summary } of receipts) {
    total.messages += messages;
    total.answers += answers;
    if (SUMMARY_RANK.indexOf(summary) > SUMMARY_RANK.indexOf(total.summary)) total.summary = summary;
  }
  return total;
}

const PAGE = 200;

export async function* exportPerson(
  { store }: Dependencies,
  scopeId: string,
  authorId: string,
): AsyncGenerator<Message> {
  for (const session of await store.sessionsOfAuthor(scopeId, authorId)) {
    let after = 0;
    for (;;) {
      const page = await store.messagesOfAuthor(session.id, authorId, after, PAGE);
      yield* page;
      if (page.length < PAGE) break;
      after = page.at(-1)?.seq ?? after;
    }
  }
}

/** Erases the questions and shown answers with these platform ids; summaries over them are rebuilt. */
export async function erasePlatformMessages(
  deps: Dependencies,
  place: Session,
  platformIds: readonly string[],
): Promise<void> {
  const { store, clock } = deps;
  const session = await storedSession(store, place);
  const dirtied = await enqueueFoldOnFailure(deps, session, async () => {
    let summaries = (await store.erase(session.id, platformIds, clock())).dirtied;
    for (const id of platformIds) {
      const question = await store.answeredBy(session.id, id);
      if (question !== null) summaries += (await store.eraseAnswer(session.id, question)).dirtied;
    }
    return summaries;
  });
  if (dirtied > 0) deps.compaction.enqueue(session);
}

/** An edited message of a person: its id, its author, and its new text. */
export type Edit = { platformId: string; authorId: string; text: string };

/**
 * Replaces a stored message's text; summaries over it are rebuilt. Where the author has opted out the message is erased
 * instead: the new text must not be stored, and the old one is no longer what the author says. False when nothing changed.
 */
export async function editStoredMessage(
  deps: Dependencies,
  place: Session,
  { platformId, authorId, text }: Edit,
): Promise<boolean> {
  const { store } = deps;
  const { optedOut } = await store.optOut(personScope(place), authorId);
  if (optedOut) {
    const stored = await store.findMessage(place.id, platformId);
    if (stored?.text === cleanText(text)) return false;
    await erasePlatformMessages(deps, place, [platformId]);
    return stored !== null;
  }
  const session = await storedSession(store, place);
  const changed = await enqueueFoldOnFailure(deps, session, () => store.edit(session.id, platformId, text));
  if (changed) deps.compaction.enqueue(session);
  return changed;
}

/**
 * Runs what may leave a summary dirty. After a failure it is unknown how much of it was stored, so the session is queued in
 * any case: a dirty summary must not wait for the next fold that happens to be due.
 */
async function enqueueFoldOnFailure<T>(
  { compaction }: Dependencies,
  session: Session,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    compaction.enqueue(session);
    throw error;
  }
}

/** Removes a forgotten person from the summary: by a rebuild from the rows that are left, else by a rewrite. */
async function removeFromSummary(
  deps: Dependencies,
  session: Session,
  authorName: string,
  erased: Erased,
): Promise<ForgetReceipt> {
  if (erased.unrebuildable === null) return rebuildSummary(deps, session, erased);
  const rewritten = await redactPersonFromSummary(deps, session, erased.unrebuildable, [authorName, ...erased.names]);
  deps.compaction.enqueue(session);
  return receiptOf(erased, rewritten ? 'rewritten' : 'dropped');
}

function rebuildSummary({ compaction }: Dependencies, session: Session, erased: Erased): ForgetReceipt {
  if (erased.dirtied > 0) compaction.enqueue(session);
  return receiptOf(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
}

function receiptOf(erased: Erased, summary: ForgetReceipt['summary']): ForgetReceipt {
  return { messages: erased.messages, answers: erased.answers, summary };
}
