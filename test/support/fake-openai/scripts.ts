import type { Script, Step } from './wire.js';

/** A promise that never resolves, for a server that stops sending. */
export const forever: Promise<never> = new Promise(() => {});

/** An answer, streamed word by word, with its finish reason, usage and `[DONE]`. */
export function answer(text: string, options: { finish?: string; usage?: unknown } = {}): Script {
  const steps: Step[] = [{ delta: { role: 'assistant', content: '' } }, ...(text.match(/\S+\s*|\s+/gu) ?? [])];
  steps.push({ finish: options.finish ?? 'stop' });
  if (options.usage !== undefined) steps.push({ usage: options.usage });
  return { steps };
}

/** An answer in one piece. */
export function whole(text: string): Script {
  return stream(text, { finish: 'stop' });
}

/** An event stream of exactly these steps; `[DONE]` follows unless a step has ended it. */
export function stream(...steps: Step[]): Script {
  return { steps };
}

/** An error response in OpenAI's shape. */
export function failure(status: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Script {
  return { status, headers, json: { error: { message: 'failed', type: 'error', param: null, code: null, ...error } } };
}

/** A web page where an API was expected. */
export function page(status = 200): Script {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>It works!</title>',
  };
}

/** The error formats in which endpoints refuse a prompt that is too long. */
export type OverflowDialect =
  | 'openai'
  | 'openai-text'
  | 'vllm'
  | 'llama.cpp'
  | 'llama.cpp-old'
  | 'window'
  | 'limit'
  | 'ollama';

/** Refuses a prompt that is too long, in the format of one kind of endpoint. */
export function overflow(dialect: OverflowDialect, limit: number, used: number): Script {
  const tooLong = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${used} tokens.`;
  const json: Record<OverflowDialect, unknown> = {
    openai: { error: { message: tooLong, type: 'invalid_request_error', code: 'context_length_exceeded' } },
    'openai-text': { error: { message: tooLong, type: 'invalid_request_error', code: null } },
    vllm: { object: 'error', message: tooLong, type: 'BadRequestError', param: null, code: 400 },
    'llama.cpp': {
      error: {
        code: 400,
        message: `request (${used} tokens) exceeds the available context size (${limit} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: used,
        n_ctx: limit,
      },
    },
    'llama.cpp-old': {
      error: { code: 500, message: 'the request exceeds the available context size.', type: 'server_error' },
    },
    window: { error: { message: 'Your input exceeds the context window of this model. Please adjust your input.' } },
    limit: {
      error: {
        message: `Input tokens exceed the configured limit of ${limit} tokens. Your messages resulted in ${used} tokens.`,
      },
    },
    ollama: { error: { message: `prompt too long; exceeded max context length by ${used - limit} tokens` } },
  };
  return { status: dialect === 'llama.cpp-old' ? 500 : 400, json: json[dialect] };
}
