import type { Session } from '../conversation/session.js';
import type { Erased } from '../conversation/store.js';
import type { NewSummary, Summary } from '../conversation/summary.js';
import { summaryCost } from '../memory/budget.js';
import type { Compaction } from './compaction.js';
import { summaryCap } from './fold-order.js';
import { lookAfter } from './look-after.js';
import type { Parts } from './parts.js';
import { settingsFor } from './settings.js';
import { askSummariser } from './summariser.js';
import { capSummary, summaryFault } from './summary-check.js';
import { rewritePrompt } from './summary-prompt.js';

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
  const erased = await store.forgetAuthor(session.id, order.authorId);
  if (erased.unrebuildable !== null) {
    const rewritten = await rewriteWithout(parts, session, erased.unrebuildable, order.authorName);
    compaction.enqueue(session);
    return receipt(erased, rewritten ? 'rewritten' : 'dropped');
  }
  if (erased.dirtied > 0) compaction.enqueue(session);
  return receipt(erased, erased.dirtied > 0 ? 'rebuilding' : 'none');
}

function receipt(erased: Erased, summary: ForgetReceipt['summary']): ForgetReceipt {
  return { messages: erased.messages, answers: erased.answers, summary };
}

/** Has the model write a summary again without a person; when that does not succeed, the summary is dropped. */
async function rewriteWithout(parts: Parts, session: Session, summary: Summary, name: string): Promise<boolean> {
  const model = parts.summaryModel;
  const { value } = (await settingsFor(parts.store, session, parts.options)).strategy;
  const cap = summaryCap(value);
  const { epoch } = await parts.store.sessionFacts(session.id);
  try {
    const call = { task: 'rewrite', maxTokens: cap, temperature: 0 } as const;
    const prompt = rewritePrompt(cap, summary.text, [name]);
    const text = await askSummariser(parts, session.id, prompt, call, summaryCost(summary, model.encoding));
    const clean = await capSummary(parts.counter, text, cap, model.encoding);
    if (summaryFault(clean, summary.text) === null && !clean.toLowerCase().includes(name.toLowerCase())) {
      const [tokens = 0] = await parts.counter.count([clean], model.encoding);
      const { id, dirty, ...rest } = summary;
      const next: NewSummary = {
        ...rest,
        text: clean,
        tokens,
        encoding: model.encoding,
        model: model.id,
        createdAt: parts.clock(),
      };
      if (await parts.store.rewriteSummary(id, next, epoch)) return true;
    }
  } catch (error) {
    parts.logger.warn({ sessionId: session.id, error }, 'summary could not be rewritten, it is dropped');
  }
  await parts.store.dropSummary(summary.id);
  return false;
}
