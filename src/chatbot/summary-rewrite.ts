import type { Session } from '../conversation/session.js';
import type { NewSummary, Summary } from '../conversation/summary.js';
import { summaryCost } from '../memory/budget.js';
import { summaryCap } from './fold-order.js';
import type { Parts } from './parts.js';
import { settingsFor } from './settings.js';
import { askSummariser } from './summariser.js';
import { capSummary, summaryFault } from './summary-check.js';
import { rewritePrompt } from './summary-prompt.js';

/**
 * Has the model write a summary again without a person, under all the names that they had here; resolves with whether that
 * succeeded. A summary that names none of them, so that nothing shows whether they are gone from it, is dropped, and so is
 * one that the model could not write again.
 */
export async function rewriteWithout(
  parts: Parts,
  session: Session,
  summary: Summary,
  names: readonly string[],
): Promise<boolean> {
  const { epoch } = await parts.store.loadHistory(session.id, { summary: true, messages: 0 });
  try {
    const text = names.some((name) => mentions(summary.text, name))
      ? await rewritten(parts, session, summary, names)
      : null;
    if (text !== null && !names.some((name) => mentions(text.text, name))) {
      const { id, dirty, ...rest } = summary;
      const next: NewSummary = { ...rest, ...text, model: parts.summaryModel.id, createdAt: parts.clock() };
      if (await parts.store.rewriteSummary(id, next, epoch)) return true;
    }
  } catch (error) {
    parts.logger.warn({ sessionId: session.id, error }, 'summary could not be rewritten, it is dropped');
  }
  await parts.store.dropSummary(summary.id);
  return false;
}

async function rewritten(parts: Parts, session: Session, summary: Summary, names: readonly string[]) {
  const { encoding } = parts.summaryModel;
  const cap = summaryCap((await settingsFor(parts.store, session, parts.options)).strategy.value);
  const call = { task: 'rewrite', maxTokens: cap, temperature: 0 } as const;
  const prompt = rewritePrompt(cap, summary.text, names);
  const answer = await askSummariser(parts, session.id, prompt, call, summaryCost(summary, encoding));
  const text = await capSummary(parts.counter, answer, cap, encoding);
  if (summaryFault(text, summary.text) !== null) return null;
  const [tokens = 0] = await parts.counter.count([text], encoding);
  return { text, tokens, encoding };
}

/** Whether a name stands in a text: as a whole word, or anywhere for scripts that put no space between words. */
export function mentions(text: string, name: string): boolean {
  const plain = name.trim();
  if (plain === '') return false;
  const escaped = plain.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(plain);
  const pattern = spaceless ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  return new RegExp(pattern, 'iu').test(text);
}
