import type { RESTOptions } from 'discord.js';
import type { Wait } from './pace.js';

type Send = RESTOptions['makeRequest'];

/** Discord takes 50 requests in each of its seconds. */
const REQUESTS = 49;
const SECOND_MS = 1_000;
/** While more requests wait than go out in a fifth of a second, typing indicators would come too late to tell anything. */
const TYPING_BEHIND = 9;
/** Interactions have three seconds for their answer and do not count towards that limit. */
const UNCOUNTED = /\/(?:interactions|webhooks)\//u;

/**
 * Holds requests back so that no second of Discord's holds more than it takes. The library counts in seconds of its own, and
 * may send the requests of two of them within one of Discord's; here a request counts until a second after its answer, since
 * nobody knows when in between Discord has counted it. While requests queue up, typing indicators are left out. The time
 * that a request may take runs while it queues; one that is given up meanwhile leaves the queue at once and is never sent.
 */
export function spaceRequests(send: Send, wait: Wait = waitIdly): Send {
  const queue = new Set<() => void>();
  let free = REQUESTS;
  const release = () => {
    const [next] = queue;
    if (next === undefined) free += 1;
    else next();
  };
  const queueUp = (signal: AbortSignal | null | undefined) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        queue.delete(go);
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.delete(go);
        reject(signal?.reason);
      };
      queue.add(go);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  return async (url, init) => {
    if (UNCOUNTED.test(url)) return send(url, init);
    init.signal?.throwIfAborted();
    if (queue.size > TYPING_BEHIND && url.endsWith('/typing')) return new Response(null, { status: 204 });
    if (free > 0) free -= 1;
    else await queueUp(init.signal);
    try {
      return await send(url, init);
    } finally {
      void wait(SECOND_MS).then(release);
    }
  };
}

/** Does not keep the program from ending. */
function waitIdly(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
