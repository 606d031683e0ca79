import { ConfigError } from '../conversation/errors.js';

/** Variables by which LangChain and LangSmith send, print or re-route prompts. */
const PREFIX = /^(LANGSMITH|LANGCHAIN)_/;
/** Never wanted: a gateway would take the place of OpenAI, and verbose output would show prompts. */
const NEVER = ['LANGSMITH_GATEWAY', 'LANGSMITH_GATEWAY_API_KEY', 'LANGCHAIN_VERBOSE'];
/** Any of these turns tracing on. */
const SWITCHES = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2'];

function remove(env: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  const present = names.filter((name) => env[name] !== undefined);
  for (const name of present) delete env[name];
  return present;
}

/**
 * Settles what LangChain will do with prompts besides sending them to the model. It reads the environment when it is used, so
 * this changes `env` and must come before the first call. With 'off' nothing is traced, whatever the shell has set.
 * @returns one line worth showing, or null.
 * @throws {ConfigError} when tracing is asked for without a key.
 */
export function prepareTracing(env: NodeJS.ProcessEnv, mode: 'off' | 'langsmith'): string | null {
  if (mode === 'off') {
    const removed = remove(
      env,
      Object.keys(env).filter((name) => PREFIX.test(name)),
    );
    return removed.length === 0
      ? null
      : `TRACING is off, so these variables are ignored: ${removed.sort().join(', ')}.`;
  }
  const key = env.LANGSMITH_API_KEY ?? env.LANGCHAIN_API_KEY ?? '';
  if (key.trim() === '') {
    throw new ConfigError(['LANGSMITH_API_KEY: is not set; put your LangSmith key in, or set TRACING=off']);
  }
  remove(env, [...NEVER, ...SWITCHES]);
  env.LANGSMITH_API_KEY = key;
  env.LANGSMITH_TRACING = 'true';
  return 'TRACING is on: every prompt and answer is also sent to LangSmith.';
}

/** Sends what tracing still holds back; to be awaited before the program ends. Without tracing it does nothing. */
export async function flushTraces(env: NodeJS.ProcessEnv): Promise<void> {
  if (env.LANGSMITH_TRACING !== 'true') return;
  const { awaitAllCallbacks } = await import('@langchain/core/callbacks/promises');
  await awaitAllCallbacks();
}
