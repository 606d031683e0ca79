/** Names of models that do something other than chat. */
const NOT_CHAT =
  /embed|rerank|moderation|whisper|transcri|speech|\btts\b|dall-e|image|diffusion|\bsdxl\b|\bflux\b|minilm|\bbge\b|\bgte\b|\be5\b/i;

/** The ids of a list in OpenAI's shape, or null for anything else. */
function idsOf(body: unknown): string[] | null {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return null;
  const ids = body.data.map((entry: { id?: unknown } | null) => entry?.id);
  return ids.every((id) => typeof id === 'string') ? ids : null;
}

/**
 * The models that an endpoint lists at `/models` and that look like chat models, in its order; null when it does not answer
 * like such an endpoint in time. Redirects are not followed.
 */
export async function listChatModels(baseUrl: string, key: string, timeoutMs: number): Promise<string[] | null> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${baseUrl}/models`, { headers, redirect: 'error', signal });
    const ids = response.ok ? idsOf(await response.json()) : null;
    return ids?.filter((id) => !NOT_CHAT.test(id)) ?? null;
  } catch {
    return null;
  }
}
