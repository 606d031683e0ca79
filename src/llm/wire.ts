/** What was seen of a response, for telling what went wrong. */
export type Seen = {
  status?: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
  /** The body, when it was not an event stream. */
  body?: string;
  /** Whether any byte of an event stream came. */
  streamed?: boolean;
};

/** Longer bodies hold no more news about an error. */
const BODY_LIMIT = 65_536;

function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after')?.trim() ?? '';
  const delay = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}

/**
 * A `fetch` that writes down what it sees and tells of every byte, so that comment lines, which keep a connection alive,
 * count as signs of life although they make no chunks.
 */
export function watchedFetch(seen: Seen, heard: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const { status, statusText, headers, body } = response;
    const wait = retryAfter(headers);
    Object.assign(seen, { status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
    const streams = response.ok && !/\b(json|html)\b/.test(headers.get('content-type') ?? '');
    if (!streams || body === null) {
      const text = await response.text();
      seen.body = text.slice(0, BODY_LIMIT);
      return new Response(text, { status, statusText, headers });
    }
    const listening = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        seen.streamed = true;
        heard();
        controller.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(listening), { status, statusText, headers });
  };
}
