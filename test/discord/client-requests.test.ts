import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { spaceRequests } from '../../src/discord/shared/client.js';

const MESSAGE = 'https://discord.com/api/v10/channels/1/messages';

/** Lets everything go on that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Requests on a clock that waits move; `sent` holds when each one went out, and each is answered after `answerMs`. */
function openLine(answerMs = 0) {
  let now = 0;
  const sent: { url: string; at: number }[] = [];
  const alarms: { at: number; ring: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((ring) => alarms.push({ at: now + ms, ring }));
  const send = spaceRequests(async (url) => {
    sent.push({ url, at: now });
    if (answerMs > 0) await wait(answerMs);
    return new Response(null, { status: 200 });
  }, wait);
  const runUntil = async (end: number) => {
    for (;;) {
      await settle();
      alarms.sort((a, b) => a.at - b.at);
      const next = alarms[0];
      if (next === undefined || next.at > end) break;
      alarms.shift();
      now = next.at;
      next.ring();
    }
    now = end;
  };
  return {
    sent,
    runUntil,
    send: (url: string, signal?: AbortSignal) => send(url, signal === undefined ? {} : { signal }),
  };
}

describe('the pace of requests', () => {
  it.each([0, 300])(
    'never lets more than 50 reach Discord in any second when each takes up to %i ms',
    async (answerMs) => {
      const line = openLine(answerMs);
      const all = Array.from({ length: 300 }, () => line.send(MESSAGE));
      await line.runUntil(20_000);
      await Promise.all(all);
      const times = line.sent.map(({ at }) => at);
      // Discord may count a request when it was sent, or just before it answers.
      const early = (start: number) => times.filter((at) => at + answerMs >= start && at < start + 1_000).length;
      expect(times).toHaveLength(300);
      expect(Math.max(...times.map((at) => early(at + answerMs)))).toBeLessThanOrEqual(50);
      expect(times.at(-1)).toBeLessThan(10_000);
    },
  );

  it('keeps nobody waiting while there is room', async () => {
    const line = openLine();
    await Promise.all([line.send(MESSAGE), line.send(MESSAGE), line.send(MESSAGE)]);
    expect(line.sent.map(({ at }) => at)).toEqual([0, 0, 0]);
  });

  it('never sends what is given up while it waits, which neither waits on nor holds up others', async () => {
    const line = openLine();
    const giveUp = new AbortController();
    setMaxListeners(0, giveUp.signal);
    const first = Array.from({ length: 49 }, () => line.send(MESSAGE));
    const givenUp = Array.from({ length: 98 }, () => line.send(`${MESSAGE}/1`, giveUp.signal));
    const others = Array.from({ length: 49 }, () => line.send(MESSAGE));
    giveUp.abort();
    expect(new Set((await Promise.allSettled(givenUp)).map(({ status }) => status))).toEqual(new Set(['rejected']));
    await expect(line.send(`${MESSAGE}/1`, giveUp.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await line.runUntil(1_000);
    await Promise.all([...first, ...others]);
    expect(line.sent.map(({ at }) => at)).toEqual([...Array(49).fill(0), ...Array(49).fill(1_000)]);
    expect(line.sent.some(({ url }) => url.endsWith('/1'))).toBe(false);
  });

  it('lets what is given up when it has gone out keep its place until a second later', async () => {
    const line = openLine(300);
    const giveUp = new AbortController();
    const first = Array.from({ length: 49 }, () => line.send(MESSAGE, giveUp.signal));
    const next = line.send(MESSAGE);
    giveUp.abort();
    await line.runUntil(1_299);
    expect(line.sent).toHaveLength(49);
    await line.runUntil(1_300);
    expect(line.sent).toHaveLength(50);
    await line.runUntil(5_000);
    await Promise.all([...first, next]);
  });

  it('leaves typing indicators out while requests queue up, and sends them otherwise', async () => {
    const line = openLine();
    const typing = 'https://discord.com/api/v10/channels/1/typing';
    await line.send(typing);
    const messages = Array.from({ length: 60 }, () => line.send(MESSAGE));
    expect((await line.send(typing)).status).toBe(204);
    await line.runUntil(5_000);
    await Promise.all(messages);
    await line.send(typing);
    expect(line.sent.filter(({ url }) => url === typing).map(({ at }) => at)).toEqual([0, 5_000]);
  });

  it('never holds back the answer to an interaction', async () => {
    const line = openLine();
    for (let i = 0; i < 60; i += 1) void line.send(MESSAGE);
    await line.send('https://discord.com/api/v10/interactions/1/token/callback');
    expect(line.sent.at(-1)?.at).toBe(0);
    await line.runUntil(5_000);
  });
});
