import type { Clock } from '../shared/clock.js';

/** How strict the buckets are: `messages` creates and edits per channel and 5 s, `global` requests per second. */
export type RateLimitModel = { messages: number; global: number };

/** What the rate limits say of one request: headers to send, and seconds to wait when it is refused. */
type RateLimitResult = {
  headers: Record<string, string>;
  refused: { scope: 'user' | 'global'; after: number } | null;
};

/** Discord's rate limits, off until they are switched on. */
export type RateLimits = {
  /** Switches the model on; null switches it off. Discord's own figures: 5 messages per 5 s and channel, 50 requests a second. */
  use(model: Partial<RateLimitModel> | null): void;
  check(method: string, path: string): RateLimitResult;
};

type RateWindow = { startedAt: number; used: number };

const MESSAGE_WINDOW_MS = 5_000;

const GLOBAL_WINDOW_MS = 1_000;

/** Rate limits with nothing counted yet. */
export function createRateLimits(clock: Clock): RateLimits {
  let model: RateLimitModel | null = null;
  const windows = new Map<string, RateWindow>();
  const open = (key: string, length: number): RateWindow => {
    const now = clock.now();
    const known = windows.get(key);
    if (known !== undefined && now - known.startedAt < length) return known;
    const fresh = { startedAt: now, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  const left = (window: RateWindow, length: number) => Math.max(1, window.startedAt + length - clock.now()) / 1000;
  return {
    use(wanted) {
      windows.clear();
      model = wanted === null ? null : { messages: 5, global: 50, ...wanted };
    },
    check(method, path) {
      if (model === null) return { headers: {}, refused: null };
      if (!isInteraction(path)) {
        const all = open('global', GLOBAL_WINDOW_MS);
        if (all.used >= model.global) {
          return { headers: {}, refused: { scope: 'global', after: left(all, GLOBAL_WINDOW_MS) } };
        }
        all.used += 1;
      }
      const channelId = messageChannel(method, path);
      if (channelId === undefined) return { headers: {}, refused: null };
      const bucket = open(channelId, MESSAGE_WINDOW_MS);
      const refused = bucket.used >= model.messages;
      if (!refused) bucket.used += 1;
      const after = left(bucket, MESSAGE_WINDOW_MS);
      const headers = bucketHeaders(model.messages, model.messages - bucket.used, after, clock.now());
      return { headers, refused: refused ? { scope: 'user', after } : null };
    },
  };
}

/** Interaction callbacks and everything under their tokens are outside of the global limit. */
function isInteraction(path: string): boolean {
  return path.startsWith('/interactions/') || path.startsWith('/webhooks/');
}

function messageChannel(method: string, path: string): string | undefined {
  if (method !== 'POST' && method !== 'PATCH') return undefined;
  return /^\/channels\/(\d+)\/messages(\/\d+)?$/.exec(path)?.[1];
}

function bucketHeaders(limit: number, remaining: number, after: number, now: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': ((now + after * 1000) / 1000).toFixed(3),
    'X-RateLimit-Reset-After': after.toFixed(3),
    'X-RateLimit-Bucket': '80c17d2f203122d936070c88c8d10f33',
  };
}

/** Headers and body of a 429. */
export function tooManyRequests(scope: 'user' | 'shared' | 'global', after: number) {
  return {
    status: 429,
    headers: {
      'Retry-After': String(Math.ceil(after)),
      'X-RateLimit-Scope': scope,
      ...(scope === 'global' ? { 'X-RateLimit-Global': 'true' } : {}),
    } as Record<string, string>,
    json: { message: 'You are being rate limited.', retry_after: after, global: scope === 'global' },
  };
}
