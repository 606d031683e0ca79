import { loadavg } from 'node:os';
import { markdown, whole } from '../support/report.js';
import { millis, percentile } from './pace.js';
import type { Readings } from './readings.js';
import type { Verdict } from './verdict.js';

/** One figure: what it is, what was measured, and what it should be; `–` where there is no aim. */
export type Figure = readonly [what: string, measured: string, aim: string];

/** Figures as a table, with the machine's load when they were taken. */
export function figureTable(title: string, about: string, rows: readonly Figure[]): string {
  const load = loadavg()[0]?.toFixed(1) ?? '?';
  return markdown({
    title,
    about: `${about} Load of the machine at the end: ${load}.`,
    head: ['', 'measured', 'aim'],
    rows,
  });
}

/** The median and the 99th percentile of some milliseconds. */
export function spread(samples: readonly number[]): string {
  return `${millis(percentile(samples, 0.5))} / ${millis(percentile(samples, 0.99))}`;
}

/** What the bot's processor time was between two readings, and how much of that time it had to wait for a processor. */
export function processorFigures(before: Readings, after: Readings, messages: number, ms: number): Figure[] {
  const starved = ((after.starved - before.starved) / ms) * 100;
  return [
    ['processor time a message', millis((after.cpu - before.cpu) / messages), '–'],
    [
      'time for which its main thread waited for a processor',
      `${starved.toFixed(0)} %`,
      'next to none, else delays are the machine’s',
    ],
  ];
}

/** What a verdict says of loss and doubles. */
export function verdictFigures(verdict: Verdict): Figure[] {
  return [
    ['messages said', whole(verdict.said), '–'],
    ['lost / stored twice', `${verdict.lost} / ${verdict.doubled}`, '0 / 0'],
    ['questions asked', whole(verdict.asked), '–'],
    ['without an end / answered twice', `${verdict.silent} / ${verdict.answeredTwice}`, '0 / 0'],
    ['still waiting in the database', String(verdict.waiting), '0'],
  ];
}
