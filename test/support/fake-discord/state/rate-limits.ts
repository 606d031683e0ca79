import type { Clock } from '../shared/clock.js';

/** The limits: `messages` creates and edits per channel and 5 s, `global` requests per second. */
export type RateLimitModel = { messages: number; global: number };

/** The rate limits' decision on a request: headers to send, and for a refusal the seconds until a retry. */
type RateLimitResult = {
  headers: Record<string, string>;
  refused: { scope: 'user' | 'global'; retryAfter: number } | null;
};

/** Discord's rate limits; off by default. */
export type RateLimits = {
  /**
   * Switches the limits on (Discord's figures by default: 5 messages per 5 s and channel, 50 requests a second) or,
   * with null, off.
   */
  use(model: Partial<RateLimitModel> | null): void;
  check(method: string, path: string): RateLimitResult;
};

type RateWindow = { startedAt: number; used: number };

const MESSAGE_WINDOW_MS = 5_000;
const GLOBAL_WINDOW_MS = 1_000;

/** Creates rate limits that are off. */
export function createRateLimits(clock: Clock): RateLimits {
  let model: RateLimitModel | null = null;
  const windows = new Map<string, RateWindow>();
  const currentWindow = (key: string, length: number): RateWindow => {
    const now = clock.now();
    const current = windows.get(key);
    if (current !== undefined && now - current.startedAt < length) return current;
    const fresh = { startedAt: now, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  const secondsLeft = (window: RateWindow, length: number) =>
    Math.max(1, window.startedAt + length - clock.now()) / 1000;
  return {
    use(limits) {
      windows.clear();
      model = limits === null ? null : { messages: 5, global: 50, ...limits };
    },
    check(method, path) {
      if (model === null) return { headers: {}, refused: null };
      if (!isInteraction(path)) {
        const globalWindow = currentWindow('global', GLOBAL_WINDOW_MS);
        if (globalWindow.used >= model.global) {
          return { headers: {}, refused: { scope: 'global', retryAfter: secondsLeft(globalWindow, GLOBAL_WINDOW_MS) } };
        }
        globalWindow.used += 1;
      }
      const channelId = messageChannel(method, path);
      if (channelId === undefined) return { headers: {}, refused: null };
      const bucket = currentWindow(channelId, MESSAGE_WINDOW_MS);
      const refused = bucket.used >= model.messages;
      if (!refused) bucket.used += 1;
      const retryAfter = secondsLeft(bucket, MESSAGE_WINDOW_MS);
      const headers = bucketHeaders(model.messages, model.messages - bucket.used, retryAfter, clock.now());
      return { headers, refused: refused ? { scope: 'user', retryAfter } : null };
    },
  };
}

/** Interaction responses and globalWindow under their tokens are exempt from the global limit. */
function isInteraction(path: string): boolean {
  return path.startsWith('/interactions/') || path.startsWith('/webhooks/');
}

function messageChannel(method: string, path: string): string | undefined {
  if (method !== 'POST' && method !== 'PATCH') return undefined;
  return /^\/channels\/(\d+)\/messages(\/\d+)?$/.exec(path)?.[1];
}

function bucketHeaders(limit: number, remaining: number, resetAfter: number, now: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': ((now + resetAfter * 1000) / 1000).toFixed(3),
    'X-RateLimit-Reset-After': resetAfter.toFixed(3),
    'X-RateLimit-Bucket': '80c17d2f203122d936070c88c8d10f33',
  };
}

/** Builds Discord's 429 response. */
export function tooManyRequests(scope: 'user' | 'shared' | 'global', retryAfter: number) {
  return {
    status: 429,
    headers: {
      'Retry-After': String(Math.ceil(retryAfter)),
      'X-RateLimit-Scope': scope,
      ...(scope === 'global' ? { 'X-RateLimit-Global': 'true' } : {}),
    } as Record<string, string>,
    json: { message: 'You are being rate limited.', retry_after: retryAfter, global: scope === 'global' },
  };
}
