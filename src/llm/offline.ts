import { setImmediate } from 'node:timers/promises';
import { ModelError } from '../conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt } from '../conversation/model.js';
import { answerFrom } from './offline-answer.js';
import { foldSummary, rewriteSummary } from './offline-summary.js';

/** A word with the white space before it; long ones, and scripts without spaces, in parts. */
const PIECE = /\s*\S{1,12}|\s+/gu;

/**
 * The stand-in for when no language model is connected. It makes nothing up: it answers by quoting from its prompt, with
 * a label that says so, and folds and rewrites summaries by choosing sentences. The same prompt gives the same text.
 */
export function createOfflineModel(): ChatModel {
  return { id: 'offline', encoding: 'o200k_base', contextWindow: 8_192, safety: 0.2, stream };
}

async function* stream(prompt: Prompt, call: ModelCall): AsyncGenerator<string, Completion, void> {
  stopIfCancelled(call.signal);
  for (const [piece] of write(prompt, call).toWellFormed().matchAll(PIECE)) {
    yield piece;
    await setImmediate();
    stopIfCancelled(call.signal);
  }
  return { finish: 'stop', usage: null };
}

function write(prompt: Prompt, call: ModelCall): string {
  switch (call.task) {
    case 'answer':
      return answerFrom(prompt, call.maxTokens);
    case 'summary':
      return foldSummary(prompt, call.maxTokens);
    case 'rewrite':
      return rewriteSummary(prompt);
  }
}

function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ModelError('cancelled', 'The answer was stopped.', { cause: signal.reason });
}
