import { ModelError } from '../conversation/errors.js';
import type { ModelCall, Prompt } from '../conversation/model.js';
import { gathered } from '../conversation/stream.js';
import type { Parts } from './parts.js';
import { settingsFor } from './settings.js';
import { charged, limitsOf, payerOf } from './spending.js';

/**
 * Asks the summarising model, on the account of the session's server, and gathers its text.
 * @throws {ModelError} when there is none; a filtered text counts as none. @throws {BudgetError} when the account is empty.
 */
export async function askSummariser(
  parts: Parts,
  sessionId: string,
  prompt: Prompt,
  call: ModelCall,
  promptTokens: number,
): Promise<string> {
  const { store, summaryModel, options } = parts;
  const session = (await store.findSession(sessionId)) ?? { id: sessionId, parentId: null, serverId: null };
  const limits = { ...limitsOf(await settingsFor(store, session, options), options), person: null };
  const estimate = { prompt: promptTokens, answer: call.maxTokens };
  const stream = charged(parts, payerOf(parts, session, ''), limits, estimate, summaryModel.stream(prompt, call));
  const { text, completion } = await gathered(stream);
  if (completion.finish !== 'filtered') return text;
  throw new ModelError('filtered', 'The model provider refused to summarise this.');
}
