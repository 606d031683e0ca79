import { ModelError } from '../conversation/errors.js';
import type { History } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { ChatModel, ModelCall } from '../conversation/model.js';
import type { NewSummary, Summary } from '../conversation/summary.js';
import { faultStep } from '../fault.js';
import { messageCost, promptLimit, summaryCost } from '../memory/budget.js';
import { takeForFold } from '../memory/fold.js';
import { fitText, withCounts } from './counting.js';
import type { Parts } from './parts.js';
import { askSummariser } from './summariser.js';
import { capSummary, summaryFault } from './summary-check.js';
import { summaryPrompt } from './summary-prompt.js';
import type { Windows } from './windows.js';

/** How many rows a fold reads at once; what is more goes into the next fold. */
const FOLD_ROWS = 500;

/** What one fold is about: the history it was decided on, through which `seq`, and the cap of its summary in tokens. */
export type FoldOrder = { history: History; through: number; cap: number };

/**
 * Folds the oldest messages of an order, as many as the summariser takes at once, into a new summary.
 * @returns `done` when something was folded, `stale` when the session changed meanwhile, `nothing` when no row is left.
 * @throws {ModelError} when the summariser gave no usable summary; nothing was changed then.
 */
export async function foldOnce(
  parts: Parts,
  windows: Windows,
  order: FoldOrder,
  signal?: AbortSignal,
): Promise<'done' | 'stale' | 'nothing'> {
  const { store, summaryModel: model, options } = parts;
  const { history, through, cap } = order;
  const rows = await store.loadSpan(history.sessionId, history.summary?.throughSeq ?? 0, through, FOLD_ROWS);
  const counted = await withCounts(store, parts.counter, rows, model.encoding);
  const { messages, call, prompt, source, promptTokens } = await prepare(parts, windows, counted, history.summary, cap);
  const last = messages.at(-1);
  const first = messages[0];
  if (first === undefined || last === undefined) return 'nothing';
  await faultStep('fold:before-model');
  const text = await askSummariser(parts, history.sessionId, prompt, { ...call, signal }, promptTokens);
  await faultStep('fold:after-model');
  const summary = await checked(parts, text, source, cap, sourceCost(messages, history.summary, model));
  const next: NewSummary = {
    sessionId: history.sessionId,
    ...summary,
    encoding: model.encoding,
    fromSeq: history.summary?.fromSeq ?? first.seq,
    fromAt: history.summary?.fromAt ?? first.createdAt,
    throughSeq: last.seq,
    throughAt: last.createdAt,
    model: model.id,
    createdAt: parts.clock(),
  };
  const { epoch, revision } = history;
  const check = { epoch, revision, previousId: history.summary?.id ?? null, dropCovered: options.retentionDays === 0 };
  return (await store.saveSummary(next, check)) ? 'done' : 'stale';
}

async function prepare(
  parts: Parts,
  windows: Windows,
  rows: readonly Message[],
  previous: Summary | null,
  cap: number,
) {
  const model = parts.summaryModel;
  const { summaryInstructions } = parts.options;
  const empty = summaryPrompt(summaryInstructions, cap, previous?.text ?? null, []);
  const fixed = await parts.counter.count(
    [empty.prompt.system, empty.prompt.messages[0]?.content ?? ''],
    model.encoding,
  );
  const used = fixed.reduce((sum, count) => sum + count, 16);
  const limit = promptLimit(windows.of(model, cap)) - used;
  // Indented continuation lines and role names cost a little more than the stored counts; an eighth is kept for them.
  const room = Math.max(64, Math.floor((limit * 7) / 8));
  const taken = takeForFold(rows, room, model.encoding);
  const messages = await Promise.all(
    taken.map(async (message) =>
      messageCost(message, model.encoding) <= room
        ? message
        : { ...message, text: await fitText(parts.counter, message.text, room - 32, model.encoding) },
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

async function checked(parts: Parts, text: string, source: string, cap: number, cost: number) {
  const { encoding } = parts.summaryModel;
  const fault = summaryFault(text, source);
  if (fault !== null) throw new ModelError('empty-answer', `The summary was not used because ${fault}.`);
  const [full = 0] = await parts.counter.count([text], encoding);
  if (full > cap && full > cost) {
    throw new ModelError('empty-answer', 'The summary was not used because it was longer than what it summarises.');
  }
  const kept = await capSummary(parts.counter, text, cap, encoding);
  const [tokens = 0] = await parts.counter.count([kept], encoding);
  return { text: kept, tokens };
}
