import { ConfigError } from '../conversation/errors.js';

/** Variables by which LangChain and LangSmith send, print or reroute prompts. */
const PREFIX = /^(LANGSMITH|LANGCHAIN)_/;
/** Removed in every mode: a gateway would replace OpenAI, and verbose output would show prompts. */
const UNWANTED = ['LANGSMITH_GATEWAY', 'LANGSMITH_GATEWAY_API_KEY', 'LANGCHAIN_VERBOSE'];
/** Any of these turns tracing on. */
const SWITCHES = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2'];

/**
 * Turns LangSmith's tracing on or off by changing `env`, which LangChain reads at each call: so this must come before
 * the first one. With 'off' nothing is traced, whatever the shell has set.
 * @returns one line to show, or null.
 * @throws {ConfigError} when tracing is asked for without a key.
 */
export function prepareTracing(env: NodeJS.ProcessEnv, mode: 'off' | 'langsmith'): string | null {
  if (mode === 'off') {
    const present = Object.keys(env).filter((name) => PREFIX.test(name));
    remove(env, present);
    return present.length === 0
      ? null
      : `TRACING is off, so these variables are ignored: ${present.sort().join(', ')}.`;
  }
  const key = env.LANGSMITH_API_KEY ?? env.LANGCHAIN_API_KEY ?? '';
  if (key.trim() === '') {
    throw new ConfigError(['LANGSMITH_API_KEY: is not set; put your LangSmith key in, or set TRACING=off']);
  }
  remove(env, [...UNWANTED, ...SWITCHES]);
  env.LANGSMITH_API_KEY = key;
  env.LANGSMITH_TRACING = 'true';
  return 'TRACING is on: every prompt and answer is also sent to LangSmith.';
}

function remove(env: NodeJS.ProcessEnv, names: readonly string[]): void {
  for (const name of names) delete env[name];
}

/** Sends the traces that are still buffered; to be awaited before the program ends. Without tracing it does nothing. */
export async function flushTraces(env: NodeJS.ProcessEnv): Promise<void> {
  if (env.LANGSMITH_TRACING !== 'true') return;
  const { awaitAllCallbacks } = await import('@langchain/core/callbacks/promises');
  await awaitAllCallbacks();
}
