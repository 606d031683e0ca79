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
 * nobody knows when in between Discord has counted it. While requests queue up, typing indicators are left out.
 */
export function spaceRequests(send: Send, wait: Wait = waitIdly): Send {
  const queue: (() => void)[] = [];
  let free = REQUESTS;
  const release = () => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (url, init) => {
    if (UNCOUNTED.test(url)) return send(url, init);
    if (queue.length > TYPING_BEHIND && url.endsWith('/typing')) return new Response(null, { status: 204 });
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
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
