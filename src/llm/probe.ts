import { listChatModels } from './model-list.js';

/** A program that serves models on this machine, and the port that it uses when nobody changes it. */
export type LocalServer = { port: number; server: string };

/** What the probe has found: the address for OpenAI's SDK, and the first chat model that the server lists. */
export type FoundServer = { baseUrl: string; model: string; server: string };

/** The servers that are looked for, the first that answers wins. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  { port: 11_434, server: 'Ollama' },
  { port: 1_234, server: 'LM Studio' },
  { port: 8_080, server: 'llama.cpp' },
  { port: 8_000, server: 'vLLM' },
  { port: 1_337, server: 'Jan' },
  { port: 5_001, server: 'KoboldCpp' },
  { port: 5_000, server: 'text-generation-webui' },
];

/** What is sent instead of a key: none of the owner's keys goes to whoever happens to listen. */
const NO_KEY = 'none';

/**
 * Looks for a model server on this machine, on all ports at once and never beyond 127.0.0.1; null when none that lists a
 * chat model answers in time.
 */
export async function probeLocal(
  options: { ports?: readonly LocalServer[] | undefined; timeoutMs?: number | undefined } = {},
): Promise<FoundServer | null> {
  const { ports = LOCAL_SERVERS, timeoutMs = 400 } = options;
  const found = await Promise.all(
    ports.map(async ({ port, server }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const model = (await listChatModels(baseUrl, NO_KEY, timeoutMs))?.[0];
      return model === undefined ? null : { baseUrl, model, server };
    }),
  );
  return found.find((server) => server !== null) ?? null;
}
