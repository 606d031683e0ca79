import type { NewSummary, Summary } from '../conversation/history.js';
import type { Session } from '../conversation/session.js';
import { summaryCost } from '../memory/budget.js';
import type { Dependencies } from './dependencies.js';
import { summaryCap } from './fold.js';
import { redactionPrompt } from './prompt.js';
import { strategyFor } from './settings.js';
import { askSummarizer, fitSummary, rejectionReason } from './summarizer.js';

/**
 * Has the model rewrite a summary without a person, under all the names that they had in the session; resolves with whether
 * that succeeded. The summary is dropped when the model fails, or when it names none of them, since nothing then shows
 * whether the person is gone from it.
 */
export async function redactPersonFromSummary(
  deps: Dependencies,
  session: Session,
  summary: Summary,
  names: readonly string[],
): Promise<boolean> {
  const { epoch } = await deps.store.loadHistory(session.id, { summary: true, messages: 0 });
  const isNamed = (text: string) => names.some((name) => mentions(text, name));
  try {
    const rewritten = isNamed(summary.text) ? await requestRedaction(deps, session, summary, names) : null;
    if (rewritten !== null && !isNamed(rewritten.text)) {
      const { id, dirty, ...rest } = summary;
      const next: NewSummary = { ...rest, ...rewritten, model: deps.summaryModel.id, createdAt: deps.clock() };
      if (await deps.store.rewriteSummary(id, next, epoch)) return true;
    }
  } catch (error) {
    deps.logger.warn({ sessionId: session.id, error }, 'failed to rewrite a summary, dropping it');
  }
  await deps.store.dropSummary(summary.id);
  return false;
}

async function requestRedaction(deps: Dependencies, session: Session, summary: Summary, names: readonly string[]) {
  const { encoding } = deps.summaryModel;
  const cap = summaryCap((await strategyFor(deps.store, session)).value);
  const prompt = redactionPrompt(cap, summary.text, names);
  const call = { task: 'rewrite', maxTokens: cap, temperature: 0 } as const;
  const answer = await askSummarizer(deps, session.id, prompt, call, summaryCost(summary, encoding));
  const { text, tokens } = await fitSummary(deps.counter, answer, cap, encoding);
  return rejectionReason(text, summary.text) === null ? { text, tokens, encoding } : null;
}

/** Matches a name as a whole word, or anywhere in scripts that put no space between words. */
function mentions(text: string, name: string): boolean {
  const trimmed = name.trim();
  if (trimmed === '') return false;
  const escaped = trimmed.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(trimmed);
  const pattern = spaceless ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  return new RegExp(pattern, 'iu').test(text);
}
