import { NO_KEY } from './http.js';

/** A program that serves models on this machine, and its default port. */
export type LocalServer = { port: number; server: string };

/** In order of preference. */
const LOCAL_SERVERS: readonly LocalServer[] = [
  { port: 11_434, server: 'Ollama' },
  { port: 1_234, server: 'LM Studio' },
  { port: 8_080, server: 'llama.cpp' },
  { port: 8_000, server: 'vLLM' },
  { port: 1_337, server: 'Jan' },
  { port: 5_001, server: 'KoboldCpp' },
  { port: 5_000, server: 'text-generation-webui' },
];

/** A server on this machine answers at once or is none. */
const PROBE_TIMEOUT_MS = 400;

/**
 * Looks for a model server on this machine, on all ports at once and never beyond 127.0.0.1; null when none that lists
 * a chat model answers in time. No key is sent, because anybody may be listening.
 */
export async function probeLocalServers(
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<{ baseUrl: string; model: string; server: string } | null> {
  const found = await Promise.all(
    servers.map(async ({ port, server }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const model = (await listChatModels(baseUrl, NO_KEY, PROBE_TIMEOUT_MS))?.[0];
      return model === undefined ? null : { baseUrl, model, server };
    }),
  );
  return found.find((server) => server !== null) ?? null;
}

/** Names of models that do something other than chat. */
const NOT_CHAT =
  /embed|rerank|moderation|whisper|transcri|speech|\btts\b|dall-e|image|diffusion|\bsdxl\b|\bflux\b|minilm|\bbge\b|\bgte\b|\be5\b/i;

/**
 * Lists the ids at `/models` that look like chat models, in the endpoint's order; null when it does not answer like
 * such an endpoint in time. Redirects are not followed.
 */
export async function listChatModels(baseUrl: string, key: string, timeoutMs: number): Promise<string[] | null> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${baseUrl}/models`, { headers, redirect: 'error', signal });
    const ids = response.ok ? modelIds(await response.json()) : null;
    return ids?.filter((id) => !NOT_CHAT.test(id)) ?? null;
  } catch {
    return null;
  }
}

/** The ids of a list in OpenAI's shape, or null for anything else. */
function modelIds(body: unknown): string[] | null {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return null;
  const ids = body.data.map((entry: { id?: unknown } | null) => entry?.id);
  return ids.every((id) => typeof id === 'string') ? ids : null;
}
