import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { createTokenCounter } from '#dist/llm/token-counter.js';
import { median } from '../support/measure.js';
import { duration, markdown } from '../support/report.js';
import { mulberry32 } from '../support/talk.js';

const LENGTH = 4_000;
/** Characters for the library alone, whose time grows with the square of them. */
const PLAIN_LENGTH = 1_000;
const ROUNDS = 5;

type Row = { name: string; took: number[]; delays: number[]; plain: number | null };

/** Measures how long hostile texts take to be counted, and how long the event loop waits meanwhile. */
export async function counting(): Promise<string> {
  const counter = createTokenCounter();
  const count = async (text: string) => void (await counter.count([text], 'o200k_base'));
  const rows: Row[] = [
    await watch('nothing at all, for a second', 1, () => pause(1_000)),
    await watch('the vocabulary loaded, and “hello”', 1, () => count('hello')),
  ];
  for (const [name, text] of hostileTexts(LENGTH)) rows.push(await watch(name, ROUNDS, () => count(text)));
  await counter.close();
  const tiktoken = new Tiktoken(o200k);
  for (const [name, text] of hostileTexts(PLAIN_LENGTH)) {
    const began = performance.now();
    tiktoken.encode(text, [], []);
    const row = rows.find((each) => each.name === name);
    if (row !== undefined) row.plain = (performance.now() - began) * 1_000;
  }
  return table(rows);
}

async function watch(name: string, rounds: number, work: () => Promise<void>): Promise<Row> {
  const row: Row = { name, took: [], delays: [], plain: null };
  for (let round = 0; round < rounds; round += 1) {
    const monitor = monitorEventLoopDelay({ resolution: 1 });
    monitor.enable();
    await pause(20);
    monitor.reset();
    const began = performance.now();
    await work();
    row.took.push((performance.now() - began) * 1_000);
    await pause(5);
    monitor.disable();
    row.delays.push(monitor.max / 1_000);
  }
  return row;
}

function hostileTexts(length: number): [string, string][] {
  const random = mulberry32(length);
  const among = (from: number, to: number) =>
    Array.from({ length }, () => String.fromCodePoint(from + Math.floor(random() * (to - from)))).join('');
  return [
    ['Han', among(0x4e00, 0x9fa5)],
    ['Han, one letter', '语'.repeat(length)],
    ['Thai', among(0x0e01, 0x0e2f)],
    ['zero-width', '\u200b'.repeat(length)],
    ['`a`', 'a'.repeat(length)],
  ];
}

function table(rows: readonly Row[]): string {
  return markdown({
    title: `Counting ${LENGTH.toLocaleString('en-US')} characters`,
    about:
      'Unbroken runs, counted by the worker thread, and the longest delay of the event loop meanwhile (worst of ' +
      `${ROUNDS}; the loop is looked at every millisecond). Aim: no delay over 100 ms. The last column is js-tiktoken alone, on the event ` +
      `loop, with ${PLAIN_LENGTH.toLocaleString('en-US')} characters; its time grows with the square of the length.`,
    head: ['', 'counted in', 'longest delay', 'js-tiktoken alone'],
    rows: rows.map(({ name, took, delays, plain }) => [
      name,
      duration(median(took)),
      duration(Math.max(...delays)),
      plain === null ? '–' : duration(plain),
    ]),
  });
}
