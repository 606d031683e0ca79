import type { Session } from '../conversation/session.js';
import { DEFAULT_STRATEGY, type Strategy } from '../conversation/settings.js';
import { promptLimit } from '../memory/budget.js';
import { forcedFold } from '../memory/fold.js';
import type { FoldOrder } from './fold.js';
import type { Parts } from './parts.js';
import { recall } from './recall.js';
import type { Windows } from './windows.js';

/** The cap of a strategy's summary in tokens; strategies without one use the default when a dirty summary is rebuilt. */
export function summaryCap(strategy: Strategy): number {
  const owner = 'maxSummaryTokens' in strategy ? strategy : DEFAULT_STRATEGY;
  return 'maxSummaryTokens' in owner ? owner.maxSummaryTokens : 400;
}

/**
 * What is to be folded next in a session, or null. With `forced` that is all down to what the strategy keeps; a fold that
 * takes several calls goes on to its `goal`. A dirty summary is rebuilt under every strategy, since it holds what was edited
 * or erased; one with no row left is dropped.
 */
export async function nextFold(
  parts: Parts,
  windows: Windows,
  session: Session,
  forced = false,
  goal = 0,
): Promise<FoldOrder | null> {
  const dirtyThrough = await rebuildThrough(parts, session);
  const { settings, history, plan, window } = await recall(parts, windows, session, []);
  const strategy = settings.strategy.value;
  // A summary that fits no prompt would be made, and never sent.
  const cap = Math.min(summaryCap(strategy), Math.floor(promptLimit(window) / 3));
  if (strategy.name === 'summary' || strategy.name === 'summary-buffer') {
    const due = (forced ? forcedFold(history, strategy) : null) ?? plan.foldThrough ?? 0;
    const through = Math.max(due, goal);
    return through > (history.summary?.throughSeq ?? 0) ? { history, through, cap } : null;
  }
  if (dirtyThrough === null) return null;
  const summarised = await parts.store.loadHistory(session.id, { summary: true, messages: 1 });
  return { history: summarised, through: dirtyThrough, cap };
}

/** Through which `seq` a dirty summary must be rebuilt, or null; a dirty one with no row left is dropped. */
async function rebuildThrough(parts: Parts, session: Session): Promise<number | null> {
  const { summary, dirtyThrough } = await parts.store.loadHistory(session.id, { summary: true, messages: 1 });
  if (dirtyThrough === null) return null;
  const rows = await parts.store.loadSpan(session.id, summary?.throughSeq ?? 0, dirtyThrough, 1);
  if (rows.length > 0) return dirtyThrough;
  const { summaries } = await parts.store.sessionFacts(session.id);
  for (const { id, dirty } of summaries) if (dirty) await parts.store.dropSummary(id);
  return null;
}
