import type { ChatOpenAIFields } from '@langchain/openai';
import type { ModelCall, Prompt } from '../conversation/model.js';
import type { Endpoint } from './endpoint.js';

/** LangChain sends these to OpenAI's `/responses`, which other servers lack and this program never calls. */
const RESPONSES_ONLY = /codex|gpt-5\.[245]-pro/;
/** LangChain gives these the role `developer` and the field `max_completion_tokens`, as OpenAI wants. */
const REASONING = /^(o\d|gpt-5(?!-chat))/;
/** A name without meaning to LangChain; the true one goes over the wire through `modelKwargs`. */
const ALIAS = 'chat-model';

/** Which model is called where, and whether usage is asked for in the stream. */
export type ModelOnEndpoint = { endpoint: Endpoint; model: string; streamUsage: boolean };

function naming({ endpoint, model }: ModelOnEndpoint, maxTokens: number): Partial<ChatOpenAIFields> {
  const reasoning = REASONING.test(model);
  if (endpoint.dialect === 'openai') {
    return RESPONSES_ONLY.test(model) ? { model: ALIAS, maxTokens, modelKwargs: { model } } : { model, maxTokens };
  }
  if (reasoning) return { model: ALIAS, modelKwargs: { model, max_tokens: maxTokens } };
  return RESPONSES_ONLY.test(model) ? { model: ALIAS, maxTokens, modelKwargs: { model } } : { model, maxTokens };
}

/** Keeps what the SDK would take from the environment away from servers it was not meant for. */
function withoutOpenAIsOwn({ dialect }: Endpoint): Record<string, unknown> {
  return dialect === 'openai' ? {} : { organization: null, project: null, adminAPIKey: null };
}

/**
 * How one call is put to ChatOpenAI: `/chat/completions` only, one try, nothing printed. Temperature is left to OpenAI's
 * reasoning models, which refuse any but their own.
 */
export function chatFields(where: ModelOnEndpoint, call: ModelCall, fetch: typeof globalThis.fetch): ChatOpenAIFields {
  const { endpoint, model, streamUsage } = where;
  const fixedTemperature = endpoint.dialect === 'openai' && REASONING.test(model);
  return {
    ...naming(where, call.maxTokens),
    ...(call.temperature === undefined || fixedTemperature ? {} : { temperature: call.temperature }),
    apiKey: endpoint.key,
    streamUsage,
    maxRetries: 0,
    outputVersion: 'v0',
    configuration: { baseURL: endpoint.baseUrl, logLevel: 'off', fetch, ...withoutOpenAIsOwn(endpoint) },
  };
}

/** A prompt as LangChain takes it: the system text first, pictures as parts of the last message. */
export function chatMessages({ system, messages, images = [] }: Prompt) {
  const pictures = images.map(({ url }) => ({
    type: 'image_url' as const,
    image_url: { url, detail: 'low' as const },
  }));
  const last = messages.length - 1;
  const spoken = messages.map(({ role, content }, at) => ({
    role,
    content: at === last && pictures.length > 0 ? [{ type: 'text' as const, text: content }, ...pictures] : content,
  }));
  return [{ role: 'system' as const, content: system }, ...spoken];
}
