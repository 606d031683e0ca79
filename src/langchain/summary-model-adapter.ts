import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import { KeepsakeError, ModelError } from '../conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt } from '../conversation/model.js';
import { messageText } from './session-history.js';
import type { ModelFigures } from './session-memory.js';

/** The model's id as its summaries record it, its limits, and the deadline of one summary. */
export type SummaryModelFields = Partial<ModelFigures> & { id: string; timeoutMs?: number };

/** Makes a summarizing model from any chat model of LangChain; 4,096 tokens, 20 % kept free and a minute by default. */
export function createSummaryModel(
  model: Runnable<BaseLanguageModelInput, AIMessageChunk>,
  { id, contextWindow = 4_096, encoding = 'o200k_base', safety = 0.2, timeoutMs = 60_000 }: SummaryModelFields,
): ChatModel {
  return {
    id,
    contextWindow,
    encoding,
    safety,
    async *stream(prompt, call) {
      try {
        return yield* streamPieces(model, prompt, withTimeout(call, timeoutMs));
      } catch (error) {
        throw toModelError(error);
      }
    },
  };
}

async function* streamPieces(
  model: Runnable<BaseLanguageModelInput, AIMessageChunk>,
  prompt: Prompt,
  signal: AbortSignal,
): AsyncGenerator<string, Completion, void> {
  const messages = prompt.messages.map(({ role, content }) =>
    role === 'user' ? new HumanMessage(content) : new AIMessage(content),
  );
  let finish: Completion['finish'] = 'stop';
  let usage: Completion['usage'] = null;
  for await (const chunk of await model.stream([new SystemMessage(prompt.system), ...messages], { signal })) {
    finish = finishOf(chunk) ?? finish;
    const reported = chunk.usage_metadata as UsageMetadata | undefined;
    if (reported !== undefined) usage = { input: reported.input_tokens, output: reported.output_tokens };
    yield messageText(chunk);
  }
  return { finish, usage };
}

function withTimeout({ signal }: ModelCall, ms: number): AbortSignal {
  const deadline = AbortSignal.timeout(ms);
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}

function finishOf({ response_metadata: metadata }: AIMessageChunk): Completion['finish'] | null {
  const reason: unknown = metadata.finish_reason ?? metadata.stop_reason;
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'content_filter' || reason === 'refusal' ? 'filtered' : null;
}

function toModelError(cause: unknown): Error {
  if (cause instanceof KeepsakeError) return cause;
  const timedOut = cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError');
  return new ModelError(timedOut ? 'timeout' : 'rejected', 'The model that summarises gave no answer.', { cause });
}
