import type { RESTOptions } from 'discord.js';
import type { Wait } from './pace.js';

type Send = RESTOptions['makeRequest'];

/** Discord counts 50 requests in each of its seconds; the rest is for what arrives bunched, or later than it was sent. */
const REQUESTS = 45;
const WINDOW_MS = 1_050;
/** While more requests wait than go out in a fifth of a second, typing indicators would come too late to tell anything. */
const TYPING_BEHIND = 9;
/** Interactions have three seconds for their answer and do not count towards that limit. */
const UNCOUNTED = /\/(?:interactions|webhooks)\//u;

/**
 * Holds requests back so that no second of Discord's holds more than it allows: the library counts in seconds of its own,
 * and may send the requests of two of them within one of Discord's. While requests queue up, typing indicators are left out.
 */
export function spaceRequests(send: Send, wait: Wait, clock: () => number = () => performance.now()): Send {
  const sent: number[] = [];
  let queued = 0;
  let last = Promise.resolve();
  const go = async () => {
    while (sent.length === REQUESTS) {
      const pause = (sent[0] ?? 0) + WINDOW_MS - clock();
      if (pause > 0) await wait(pause);
      else sent.shift();
    }
    sent.push(clock());
    queued -= 1;
  };
  return async (url, init) => {
    if (UNCOUNTED.test(url)) return send(url, init);
    if (queued > TYPING_BEHIND && url.endsWith('/typing')) return new Response(null, { status: 204 });
    queued += 1;
    last = last.then(go);
    await last;
    return send(url, init);
  };
}
