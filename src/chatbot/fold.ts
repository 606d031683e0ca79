import { KeepsakeError, ModelError } from '../conversation/errors.js';
import type { History, NewSummary, Summary } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { ModelCall } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import { DEFAULT_STRATEGY, type Strategy, usesSummary } from '../conversation/settings.js';
import { faultStep } from '../fault.js';
import { messageCost, messagesCost, promptLimit, summaryCost } from '../memory/budget.js';
import { forcedFoldThrough, takeFoldBatch } from '../memory/fold-range.js';
import type { PromptDependencies } from './dependencies.js';
import { preparePrompt } from './prepare-prompt.js';
import { summaryPrompt } from './prompt.js';
import type { SettingsOverride } from './settings.js';
import { askSummarizer, fitSummary, rejectionReason } from './summarizer.js';
import { countText, ensureCounts, truncateToTokens } from './token-counts.js';

/** `forced` folds down to what the strategy keeps, however little is live; `override` replaces the session's settings. */
export type FoldOptions = { forced?: boolean; override?: SettingsOverride };

/** One fold: the history it was decided on, the last `seq` to fold, and the cap of the summary in tokens. */
type FoldTask = { history: History; through: number; cap: number };

/** After so many folds that went stale because the session keeps changing, they are retried like failed ones. */
const MAX_STALE_FOLDS = 3;

/** Rows that one fold loads; the rest goes into the next fold. */
const FOLD_ROWS = 500;

/**
 * Folds until nothing is due, with as many calls of the summarizer as that takes; resolves with the number of folds.
 * @throws {KeepsakeError} when the summarizer failed, or the session kept changing; summaries stored before that stay.
 */
export async function foldUntilDone(
  deps: PromptDependencies,
  session: Session,
  options: FoldOptions,
  signal: AbortSignal,
): Promise<number> {
  let folds = 0;
  let stale = 0;
  let target = 0;
  while (!signal.aborted) {
    const task = await findDueFold(deps, session, options, target);
    if (task === null) break;
    const result = await foldOnce(deps, task, signal);
    if (result === 'nothing') break;
    deps.meter.count('folds', { outcome: result });
    target = result === 'done' ? task.through : 0;
    if (result === 'done') folds += 1;
    else stale += 1;
    if (stale === MAX_STALE_FOLDS)
      throw new KeepsakeError('busy', 'The conversation changed while it was being summarised.');
  }
  return folds;
}

/**
 * Determines the next fold of a session, or null. `target` is the `seq` to reach when the fold takes several calls. A dirty
 * summary is rebuilt under every strategy, since it covers messages that were edited or erased.
 */
export async function findDueFold(
  deps: PromptDependencies,
  session: Session,
  { forced = false, override = {} }: FoldOptions = {},
  target = 0,
): Promise<FoldTask | null> {
  const dirtyThrough = await rebuildThrough(deps, session);
  const { settings, history, plan, modelLimits } = await preparePrompt(deps, session, [], { override });
  const strategy = settings.strategy.value;
  // A longer summary would fit no prompt.
  const cap = Math.min(summaryCap(strategy), Math.floor(promptLimit(modelLimits) / 3));
  if (usesSummary(strategy)) {
    const due = (forced ? forcedFoldThrough(history, strategy) : null) ?? plan.foldThrough ?? 0;
    const through = Math.max(due, target);
    return through > (history.summary?.throughSeq ?? 0) ? { history, through, cap } : null;
  }
  if (dirtyThrough === null) return null;
  const summarized = await deps.store.loadHistory(session.id, { summary: true, messages: 1 });
  return { history: summarized, through: dirtyThrough, cap };
}

/** Through which `seq` a dirty summary must be rebuilt, or null; drops a dirty summary of which no row is left. */
async function rebuildThrough({ store }: PromptDependencies, session: Session): Promise<number | null> {
  const { summary, dirtyThrough } = await store.loadHistory(session.id, { summary: true, messages: 1 });
  if (dirtyThrough === null) return null;
  const rows = await store.loadSpan(session.id, summary?.throughSeq ?? 0, dirtyThrough, 1);
  if (rows.length > 0) return dirtyThrough;
  const { summaries } = await store.sessionFacts(session.id);
  for (const { id, dirty } of summaries) if (dirty) await store.dropSummary(id);
  return null;
}

/** The cap of a strategy's summary in tokens; strategies without one use the default when a dirty summary is rebuilt. */
export function summaryCap(strategy: Strategy): number {
  const source = 'maxSummaryTokens' in strategy ? strategy : DEFAULT_STRATEGY;
  return 'maxSummaryTokens' in source ? source.maxSummaryTokens : 400;
}

/**
 * Folds the oldest messages of a task, as many as one call of the summarizer takes, into a new summary.
 * @returns `done` when a summary was stored, `stale` when the session changed meanwhile, `nothing` when no row is left.
 * @throws {ModelError} when the summarizer gave no usable summary; nothing was changed then.
 */
async function foldOnce(
  deps: PromptDependencies,
  { history, through, cap }: FoldTask,
  signal: AbortSignal,
): Promise<'done' | 'stale' | 'nothing'> {
  const { store, summaryModel: model, options } = deps;
  const { sessionId, summary: previous } = history;
  const rows = await store.loadSpan(sessionId, previous?.throughSeq ?? 0, through, FOLD_ROWS);
  const counted = await ensureCounts(store, deps.counter, rows, model.encoding);
  const { messages, call, prompt, source, promptTokens } = await prepareCall(deps, counted, previous, cap);
  const last = messages.at(-1);
  const first = messages[0];
  if (first === undefined || last === undefined) return 'nothing';
  await faultStep('fold:before-model');
  const text = await askSummarizer(deps, sessionId, prompt, { ...call, signal }, promptTokens);
  await faultStep('fold:after-model');
  const sourceTokens =
    messagesCost(messages, model.encoding) + (previous === null ? 0 : summaryCost(previous, model.encoding));
  const next: NewSummary = {
    sessionId,
    ...(await acceptSummary(deps, text, source, cap, sourceTokens)),
    encoding: model.encoding,
    fromSeq: previous?.fromSeq ?? first.seq,
    fromAt: previous?.fromAt ?? first.createdAt,
    throughSeq: last.seq,
    throughAt: last.createdAt,
    model: model.id,
    createdAt: deps.clock(),
  };
  const { epoch, revision } = history;
  const check = { epoch, revision, previousId: previous?.id ?? null, dropCovered: options.retentionDays === 0 };
  return (await store.saveSummary(next, check)) ? 'done' : 'stale';
}

async function prepareCall(deps: PromptDependencies, rows: readonly Message[], previous: Summary | null, cap: number) {
  const { counter, summaryModel: model, options } = deps;
  const empty = summaryPrompt(options.summaryInstructions, cap, previous?.text ?? null, []);
  const fixedTexts = [empty.prompt.system, empty.prompt.messages[0]?.content ?? ''];
  const fixedTokens = (await counter.count(fixedTexts, model.encoding)).reduce((sum, count) => sum + count, 16);
  const tokensLeft = promptLimit(deps.observedLimits.limitsOf(model, cap)) - fixedTokens;
  // Indented continuation lines and role names cost a little more than the stored counts; an eighth is kept for them.
  const maxTokens = Math.max(64, Math.floor((tokensLeft * 7) / 8));
  const messages = await Promise.all(
    takeFoldBatch(rows, maxTokens, model.encoding).map(async (message) =>
      messageCost(message, model.encoding) <= maxTokens
        ? message
        : { ...message, text: await truncateToTokens(counter, message.text, maxTokens - 32, model.encoding) },
    ),
  );
  const { prompt, source } = summaryPrompt(options.summaryInstructions, cap, previous?.text ?? null, messages);
  const call: ModelCall = { task: 'summary', maxTokens: cap, temperature: 0 };
  return { messages, prompt, source, call, promptTokens: fixedTokens + messagesCost(messages, model.encoding) };
}

async function acceptSummary(
  { counter, summaryModel }: PromptDependencies,
  text: string,
  source: string,
  cap: number,
  sourceTokens: number,
): Promise<{ text: string; tokens: number }> {
  const { encoding } = summaryModel;
  const rejected = rejectionReason(text, source);
  if (rejected !== null) throw new ModelError('empty-answer', `The summary was not used because ${rejected}.`);
  const tokens = await countText(counter, text, encoding);
  if (tokens > cap && tokens > sourceTokens) {
    throw new ModelError('empty-answer', 'The summary was not used because it was longer than what it summarises.');
  }
  return fitSummary(counter, text, cap, encoding);
}
