import type { NewSummary, Summary } from '../conversation/history.js';
import { cleanText, type Message } from '../conversation/message.js';
import { personScope, type Session } from '../conversation/session.js';
import type { Erased } from '../conversation/store.js';
import { summaryCost } from '../memory/budget.js';
import type { Dependencies } from './dependencies.js';
import { summaryCap } from './fold.js';
import { rewritePrompt } from './prompt.js';
import { settingsFor } from './settings.js';
import { askSummarizer, capSummary, summaryFault } from './summarizer.js';

/**
 * Does what may leave a summary dirty. When it fails, nobody knows how much of it is stored, so that the session is looked
 * at in any case: a dirty summary must not stay for want of a rebuild.
 */
async function recheckOnFailure<T>({ compaction }: Dependencies, session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    compaction.enqueue(session);
    throw error;
  }
}

/**
 * Has the model write a summary again without a person, under all the names that they had here; resolves with whether that
 * succeeded. A summary that names none of them, so that nothing shows whether they are gone from it, is dropped, and so is
 * one that the model could not write again.
 */
async function rewriteWithout(
  deps: Dependencies,
  session: Session,
  summary: Summary,
  names: readonly string[],
): Promise<boolean> {
  const { epoch } = await deps.store.loadHistory(session.id, { summary: true, messages: 0 });
  try {
    const text = names.some((name) => mentions(summary.text, name))
      ? await rewritten(deps, session, summary, names)
      : null;
    if (text !== null && !names.some((name) => mentions(text.text, name))) {
      const { id, dirty, ...rest } = summary;
      const next: NewSummary = { ...rest, ...text, model: deps.summaryModel.id, createdAt: deps.clock() };
      if (await deps.store.rewriteSummary(id, next, epoch)) return true;
    }
  } catch (error) {
    deps.logger.warn({ sessionId: session.id, error }, 'summary could not be rewritten, it is dropped');
  }
  await deps.store.dropSummary(summary.id);
  return false;
}

async function rewritten(deps: Dependencies, session: Session, summary: Summary, names: readonly string[]) {
  const { encoding } = deps.summaryModel;
  const cap = summaryCap((await settingsFor(deps.store, session, deps.options)).strategy.value);
  const call = { task: 'rewrite', maxTokens: cap, temperature: 0 } as const;
  const prompt = rewritePrompt(cap, summary.text, names);
  const answer = await askSummarizer(deps, session.id, prompt, call, summaryCost(summary, encoding));
  const text = await capSummary(deps.counter, answer, cap, encoding);
  if (summaryFault(text, summary.text) !== null) return null;
  const [tokens = 0] = await deps.counter.count([text], encoding);
  return { text, tokens, encoding };
}

/** Whether a name stands in a text: as a whole word, or anywhere for scripts that put no space between words. */
function mentions(text: string, name: string): boolean {
  const plain = name.trim();
  if (plain === '') return false;
  const escaped = plain.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(plain);
  const pattern = spaceless ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  return new RegExp(pattern, 'iu').test(text);
}

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
export function forget(deps: Dependencies, session: Session, order: ForgetOrder): Promise<ForgetReceipt> {
  return recheckOnFailure(deps, session, () => carryOut(deps, session, order));
}

async function carryOut(deps: Dependencies, session: Session, order: ForgetOrder): Promise<ForgetReceipt> {
  const { store } = deps;
  if (order.what === 'session') {
    const erased = await store.forgetSession(session.id);
    return receipt(erased, erased.summaries > 0 ? 'erased' : 'none');
  }
  if (order.what === 'last') {
    const erased = await store.forgetLast(session.id, order.authorId);
    if (erased.dirtied > 0) deps.compaction.enqueue(session);
    return receipt(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
  }
  return mendSummary(deps, session, order.authorName, await store.forgetAuthor(session.id, order.authorId));
}

/**
 * Forgets a person in several sessions: what they wrote is gone from all of them before the first summary is written again,
 * which may take as long as a model likes.
 */
async function forgetEverywhere(
  deps: Dependencies,
  sessions: readonly Session[],
  { authorId, authorName }: { authorId: string; authorName: string },
): Promise<ForgetReceipt[]> {
  const erased: [Session, Erased][] = [];
  for (const session of sessions) {
    const rows = await recheckOnFailure(deps, session, () => deps.store.forgetAuthor(session.id, authorId));
    erased.push([session, rows]);
  }
  const mend = ([session, rows]: [Session, Erased]) =>
    recheckOnFailure(deps, session, () => mendSummary(deps, session, authorName, rows));
  return Promise.all(erased.map(mend));
}

/** Has what a forgotten person has left in a summary written anew, or rebuilt from the rows that are left. */
async function mendSummary(
  deps: Dependencies,
  session: Session,
  authorName: string,
  erased: Erased,
): Promise<ForgetReceipt> {
  if (erased.unrebuildable !== null) {
    const rewritten = await rewriteWithout(deps, session, erased.unrebuildable, [authorName, ...erased.names]);
    deps.compaction.enqueue(session);
    return receipt(erased, rewritten ? 'rewritten' : 'dropped');
  }
  if (erased.dirtied > 0) deps.compaction.enqueue(session);
  return receipt(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
}

function receipt(erased: Erased, summary: ForgetReceipt['summary']): ForgetReceipt {
  return { messages: erased.messages, answers: erased.answers, summary };
}

/** Erases what platform messages hold, questions or shown answers; summaries over them are rebuilt. */
export async function erasePlatformMessages(
  deps: Dependencies,
  given: Session,
  platformIds: readonly string[],
): Promise<void> {
  const { store, clock } = deps;
  // A platform may not know of a thread's channel, whose settings count in a rebuild.
  const session = (await store.findSession(given.id)) ?? given;
  const dirtied = await recheckOnFailure(deps, session, async () => {
    let summaries = (await store.erase(session.id, platformIds, clock())).dirtied;
    for (const id of platformIds) {
      const question = await store.answeredBy(session.id, id);
      if (question !== null) summaries += (await store.eraseAnswer(session.id, question)).dirtied;
    }
    return summaries;
  });
  if (dirtied > 0) deps.compaction.enqueue(session);
}

/** A message of a person that was changed: its id, who wrote it, and what it says now. */
export type Edit = { platformId: string; authorId: string; text: string };

/**
 * Replaces a remembered message's text; summaries over it are rebuilt. What an author changes who has opted out is erased:
 * the new text must not be kept, and the old one is no longer said. False when nothing changed.
 */
export async function editStoredMessage(
  deps: Dependencies,
  given: Session,
  { platformId, authorId, text }: Edit,
): Promise<boolean> {
  const { store } = deps;
  const { optedOut } = await store.optOut(personScope(given), authorId);
  if (optedOut) {
    const kept = await store.findMessage(given.id, platformId);
    if (kept?.text === cleanText(text)) return false;
    await erasePlatformMessages(deps, given, [platformId]);
    return kept !== null;
  }
  // A door may not know of a thread's channel, whose settings count in a rebuild.
  const session = (await store.findSession(given.id)) ?? given;
  const changed = await recheckOnFailure(deps, session, () => store.edit(session.id, platformId, text));
  if (changed) deps.compaction.enqueue(session);
  return changed;
}

/** A person as a platform names them. */
export type Person = { id: string; name: string };

const PAGE = 200;
const SUMMARY_RANK: ForgetReceipt['summary'][] = ['none', 'erased', 'rewritten', 'rebuilding', 'dropped'];

/** Yields everything that a person has written in a scope, session by session, oldest first. */
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

/** Forgets a person in every session of a scope; the receipt sums up what was erased. */
export async function erasePerson(deps: Dependencies, scopeId: string, person: Person): Promise<ForgetReceipt> {
  const total: ForgetReceipt = { messages: 0, answers: 0, summary: 'none' };
  const sessions = await deps.store.sessionsOfAuthor(scopeId, person.id);
  const author = { authorId: person.id, authorName: person.name };
  for (const receipt of await forgetEverywhere(deps, sessions, author)) {
    total.messages += receipt.messages;
    total.answers += receipt.answers;
    if (SUMMARY_RANK.indexOf(receipt.summary) > SUMMARY_RANK.indexOf(total.summary)) total.summary = receipt.summary;
  }
  return total;
}
