import { KeepsakeError, ModelError } from '../conversation/errors.js';
import type { History, NewSummary, Summary } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { ChatModel, ModelCall } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import { DEFAULT_STRATEGY, type Strategy, usesSummary } from '../conversation/settings.js';
import { faultStep } from '../fault.js';
import { messageCost, promptLimit, summaryCost } from '../memory/budget.js';
import { forcedFoldThrough, takeFoldBatch } from '../memory/fold.js';
import type { RecallDependencies } from './dependencies.js';
import { summaryPrompt } from './prompt.js';
import { ensureCounts, recall, truncateToTokens } from './recall.js';
import type { SettingsOverride } from './settings.js';
import { askSummarizer, capSummary, summaryFault } from './summarizer.js';

/** How many rows a fold reads at once; what is more goes into the next fold. */
const FOLD_ROWS = 500;

/** What one fold is about: the history it was decided on, through which `seq`, and the cap of its summary in tokens. */
type FoldOrder = { history: History; through: number; cap: number };

/**
 * Folds the oldest messages of an order, as many as the summariser takes at once, into a new summary.
 * @returns `done` when something was folded, `stale` when the session changed meanwhile, `nothing` when no row is left.
 * @throws {ModelError} when the summariser gave no usable summary; nothing was changed then.
 */
async function foldOnce(
  deps: RecallDependencies,
  order: FoldOrder,
  signal?: AbortSignal,
): Promise<'done' | 'stale' | 'nothing'> {
  const { store, summaryModel: model, options } = deps;
  const { history, through, cap } = order;
  const rows = await store.loadSpan(history.sessionId, history.summary?.throughSeq ?? 0, through, FOLD_ROWS);
  const counted = await ensureCounts(store, deps.counter, rows, model.encoding);
  const { messages, call, prompt, source, promptTokens } = await prepare(deps, counted, history.summary, cap);
  const last = messages.at(-1);
  const first = messages[0];
  if (first === undefined || last === undefined) return 'nothing';
  await faultStep('fold:before-model');
  const text = await askSummarizer(deps, history.sessionId, prompt, { ...call, signal }, promptTokens);
  await faultStep('fold:after-model');
  const summary = await checked(deps, text, source, cap, sourceCost(messages, history.summary, model));
  const next: NewSummary = {
    sessionId: history.sessionId,
    ...summary,
    encoding: model.encoding,
    fromSeq: history.summary?.fromSeq ?? first.seq,
    fromAt: history.summary?.fromAt ?? first.createdAt,
    throughSeq: last.seq,
    throughAt: last.createdAt,
    model: model.id,
    createdAt: deps.clock(),
  };
  const { epoch, revision } = history;
  const check = { epoch, revision, previousId: history.summary?.id ?? null, dropCovered: options.retentionDays === 0 };
  return (await store.saveSummary(next, check)) ? 'done' : 'stale';
}

async function prepare(deps: RecallDependencies, rows: readonly Message[], previous: Summary | null, cap: number) {
  const model = deps.summaryModel;
  const { summaryInstructions } = deps.options;
  const empty = summaryPrompt(summaryInstructions, cap, previous?.text ?? null, []);
  const fixed = await deps.counter.count(
    [empty.prompt.system, empty.prompt.messages[0]?.content ?? ''],
    model.encoding,
  );
  const used = fixed.reduce((sum, count) => sum + count, 16);
  const limit = promptLimit(deps.windows.of(model, cap)) - used;
  // Indented continuation lines and role names cost a little more than the stored counts; an eighth is kept for them.
  const room = Math.max(64, Math.floor((limit * 7) / 8));
  const taken = takeFoldBatch(rows, room, model.encoding);
  const messages = await Promise.all(
    taken.map(async (message) =>
      messageCost(message, model.encoding) <= room
        ? message
        : { ...message, text: await truncateToTokens(deps.counter, message.text, room - 32, model.encoding) },
    ),
  );
  const { prompt, source } = summaryPrompt(summaryInstructions, cap, previous?.text ?? null, messages);
  const call: ModelCall = { task: 'summary', maxTokens: cap, temperature: 0 };
  const folded = messages.reduce((sum, message) => sum + messageCost(message, model.encoding), 0);
  return { messages, prompt, source, call, promptTokens: used + folded };
}

function sourceCost(messages: readonly Message[], previous: Summary | null, model: ChatModel): number {
  const folded = messages.reduce((sum, message) => sum + messageCost(message, model.encoding), 0);
  return folded + (previous === null ? 0 : summaryCost(previous, model.encoding));
}

async function checked(deps: RecallDependencies, text: string, source: string, cap: number, cost: number) {
  const { encoding } = deps.summaryModel;
  const fault = summaryFault(text, source);
  if (fault !== null) throw new ModelError('empty-answer', `The summary was not used because ${fault}.`);
  const [full = 0] = await deps.counter.count([text], encoding);
  if (full > cap && full > cost) {
    throw new ModelError('empty-answer', 'The summary was not used because it was longer than what it summarises.');
  }
  const kept = await capSummary(deps.counter, text, cap, encoding);
  const [tokens = 0] = await deps.counter.count([kept], encoding);
  return { text: kept, tokens };
}

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
  deps: RecallDependencies,
  session: Session,
  { forced = false, override = {} }: FoldOptions = {},
  goal = 0,
): Promise<FoldOrder | null> {
  const dirtyThrough = await rebuildThrough(deps, session);
  const { settings, history, plan, window } = await recall(deps, session, [], { override });
  const strategy = settings.strategy.value;
  // A summary that fits no prompt would be made, and never sent.
  const cap = Math.min(summaryCap(strategy), Math.floor(promptLimit(window) / 3));
  if (usesSummary(strategy)) {
    const due = (forced ? forcedFoldThrough(history, strategy) : null) ?? plan.foldThrough ?? 0;
    const through = Math.max(due, goal);
    return through > (history.summary?.throughSeq ?? 0) ? { history, through, cap } : null;
  }
  if (dirtyThrough === null) return null;
  const summarised = await deps.store.loadHistory(session.id, { summary: true, messages: 1 });
  return { history: summarised, through: dirtyThrough, cap };
}

/** `forced` folds down to what the strategy keeps, however little is live; `override` replaces the session's settings. */
export type FoldOptions = { forced?: boolean; override?: SettingsOverride };

/** Through which `seq` a dirty summary must be rebuilt, or null; a dirty one with no row left is dropped. */
async function rebuildThrough(deps: RecallDependencies, session: Session): Promise<number | null> {
  const { summary, dirtyThrough } = await deps.store.loadHistory(session.id, { summary: true, messages: 1 });
  if (dirtyThrough === null) return null;
  const rows = await deps.store.loadSpan(session.id, summary?.throughSeq ?? 0, dirtyThrough, 1);
  if (rows.length > 0) return dirtyThrough;
  const { summaries } = await deps.store.sessionFacts(session.id);
  for (const { id, dirty } of summaries) if (dirty) await deps.store.dropSummary(id);
  return null;
}

/** Folds that go stale because the session keeps changing are tried this often before they wait like failed ones. */
const STALE_LIMIT = 3;

/**
 * Folds until nothing is due, however many calls of the summariser that takes; resolves with the number of folds.
 * @throws {KeepsakeError} when the summariser failed, or the session kept changing; what was folded before that stays.
 */
export async function foldAll(
  deps: RecallDependencies,
  session: Session,
  options: FoldOptions,
  signal: AbortSignal,
): Promise<number> {
  let folds = 0;
  let stale = 0;
  let goal = 0;
  while (!signal.aborted) {
    const order = await nextFold(deps, session, options, goal);
    if (order === null) break;
    const result = await foldOnce(deps, order, signal);
    if (result === 'nothing') break;
    deps.meter.count('folds', { outcome: result });
    goal = result === 'done' ? order.through : 0;
    if (result === 'done') folds += 1;
    else stale += 1;
    if (stale === STALE_LIMIT)
      throw new KeepsakeError('busy', 'The conversation changed while it was being summarised.');
  }
  return folds;
}
