import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { TokenCounter } from '../../src/conversation/model.js';
import { createTokenCounter } from '../../src/llm/token-counter.js';

const dist = resolve(import.meta.dirname, '../../dist');
const shared = createTokenCounter();
const open: TokenCounter[] = [];

function counterWith(spawn: () => Worker): TokenCounter {
  const counter = createTokenCounter(spawn);
  open.push(counter);
  return counter;
}

/** A worker that does what its code says with each message, which stands in `request`. */
function workerThat(code: string): Worker {
  const script = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (request) => { ${code} })`;
  return new Worker(script, { eval: true, stderr: true });
}

/** Counts one token for each code unit. */
const COUNTING = 'parentPort.postMessage(request.texts.map(({ id, text }) => ({ id, tokens: text.length })));';

afterEach(async () => {
  for (const counter of open.splice(0)) await counter.close();
});

afterAll(() => shared.close());

describe('the token counter', () => {
  it('counts each text, in order, in the vocabulary asked for', async () => {
    const texts = ['I live in Bern.', '', '<|endoftext|>', '你好，世界', '\ud83d', 'मंगलवार को बैठक है'];
    expect(await shared.count(texts, 'cl100k_base')).toEqual([5, 0, 7, 6, 1, 21]);
    expect(await shared.count(texts, 'o200k_base')).toEqual([5, 0, 7, 3, 1, 6]);
    expect(await shared.count([], 'cl100k_base')).toEqual([]);
  });

  it('does not block the event loop while it counts a hostile text', async () => {
    const events: string[] = [];
    const counted = shared.count(['字'.repeat(4_000)], 'cl100k_base').then(() => events.push('counted'));
    setTimeout(() => events.push('timer'), 0);
    await counted;
    expect(events).toEqual(['timer', 'counted']);
  });

  it('finishes a short text before a hostile one that came first', async () => {
    await shared.count(['warm'], 'cl100k_base');
    const events: string[] = [];
    const hostile = shared.count(['天地玄黄宇宙洪荒'.repeat(1_500)], 'cl100k_base').then(() => events.push('hostile'));
    await new Promise(setImmediate);
    const short = shared.count(['hello'], 'cl100k_base').then(() => events.push('short'));
    await Promise.all([hostile, short]);
    expect(events).toEqual(['short', 'hostile']);
  });

  it('sends all texts of one tick in one message', async () => {
    const counter = counterWith(() =>
      workerThat('parentPort.postMessage(request.texts.map(({ id }) => ({ id, tokens: request.texts.length })));'),
    );
    const counts = await Promise.all(['one', 'two', 'three'].map((text) => counter.count([text], 'o200k_base')));
    expect(counts).toEqual([[3], [3], [3]]);
  });

  it('keeps js-tiktoken out of the main thread', () => {
    const seen = new Set<string>();
    const walk = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\(?)\s*['"]([^'"]+)['"]/gu)) {
        if (name.startsWith('.')) walk(join(dirname(file), name));
        else seen.add(name);
      }
    };
    walk(join(dist, 'llm/token-counter.js'));
    expect([...seen].filter((name) => name.includes('tiktoken') || name.includes('token-worker'))).toEqual([]);
    expect(seen).toContain('node:worker_threads');
  });
});

describe('a worker that dies', () => {
  it.each(['process.exit(3)', 'throw new Error("out of order")'])(
    'is replaced, and its texts are counted (%s)',
    async (code) => {
      let started = 0;
      const counter = counterWith(() => {
        started += 1;
        return workerThat(started === 1 ? code : COUNTING);
      });
      expect(await counter.count(['abc', '你好'], 'o200k_base')).toEqual([3, 2]);
      expect(started).toBe(2);
    },
  );

  it('twice leaves the upper bound of one token a byte', async () => {
    let started = 0;
    const counter = counterWith(() => {
      started += 1;
      return workerThat('process.exit(3)');
    });
    expect(await counter.count(['abc', '你好'], 'o200k_base')).toEqual([3, 6]);
    expect(started).toBe(2);
  });

  it('at its start leaves the upper bound, too', async () => {
    const counter = counterWith(() => {
      throw new Error('no threads here');
    });
    expect(await counter.count(['abc'], 'o200k_base')).toEqual([3]);
  });
});

describe('closing the token counter', () => {
  it('rejects pending and later counts', async () => {
    const counter = createTokenCounter(() => workerThat(''));
    const waiting = counter.count(['字'], 'o200k_base');
    const rejected = expect(waiting).rejects.toThrow('closed');
    await counter.close();
    await rejected;
    await expect(counter.count(['late'], 'o200k_base')).rejects.toThrow('closed');
    counter.start('o200k_base');
    await counter.close();
  });
});
