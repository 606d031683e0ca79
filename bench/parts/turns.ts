import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Strategy } from '#dist/conversation/settings.js';
import { type Course, openKeepsake } from '../contenders/keepsake.js';
import { openRawSqlite } from '../contenders/raw-sqlite.js';
import { type Contender, mean, median, race, type Timing } from '../support/measure.js';
import { duration, markdown, ratio, whole } from '../support/report.js';
import { scratchFolder, seedDatabase, seedSummaries } from '../support/seed.js';
import { createStopwatch, type Stopwatch } from '../support/stopwatch.js';
import { STRATEGIES } from '../support/strategies.js';
import { raceClassic } from './classic.js';

const LENGTHS = [10, 1_000, 100_000] as const;
const ROUNDS = { rounds: 24, turns: 3 };
/** Turns of a warm-up round, which no sample of a stopwatch may come from. */
const WARM_UP = ROUNDS.turns;

/** The length at which the storage part is split off. */
const SPLIT = 100_000;

type Who = 'Keepsake' | 'raw SQLite';
type Results = { strategy: Strategy; turns: Map<string, Timing>; split: Record<Who, Stopwatch> };

/** Measures what a turn costs apart from the model, by strategy and length of the session, beside raw SQLite and LangChain. */
export async function turns(): Promise<string> {
  const folder = scratchFolder();
  try {
    for (const length of LENGTHS) await seedDatabase(join(folder, `${length}.db`), length);
    await warmUp(folder);
    const results: Results[] = [];
    for (const strategy of STRATEGIES) results.push(await measure(folder, strategy));
    const classic = await raceClassic(folder, LENGTHS);
    return [wholeTurns(results, classic), storage(results)].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Has all code compiled and optimised before anything is measured. */
async function warmUp(folder: string): Promise<void> {
  for (const strategy of STRATEGIES) {
    for (const who of ['Keepsake', 'raw SQLite'] as const) {
      const path = copyFor(folder, LENGTHS[0], strategy, 'warm-up');
      const course = { name: 'warm-up', path, messages: LENGTHS[0], strategy, synchronous: 'NORMAL' as const };
      const contender = await openContender(who, course, createStopwatch());
      for (let turn = 0; turn < 400; turn += 1) {
        await contender.turn();
        await contender.rest?.();
      }
      await contender.close();
    }
  }
}

async function measure(folder: string, strategy: Strategy): Promise<Results> {
  const split = { Keepsake: createStopwatch(), 'raw SQLite': createStopwatch() };
  const contenders: Contender[] = [];
  for (const who of ['Keepsake', 'raw SQLite'] as const) {
    const add = async (messages: number, name: string, stopwatch?: Stopwatch) => {
      const course = { name, messages, strategy, path: copyFor(folder, messages, strategy, name) };
      contenders.push(await openContender(who, course, stopwatch));
    };
    for (const messages of LENGTHS) await add(messages, key(who, messages));
    await add(SPLIT, `${who} split`, split[who]);
  }
  const timings = await race(contenders, ROUNDS);
  for (const contender of contenders) await contender.close();
  return { strategy, turns: timings, split };
}

async function openContender(who: Who, course: Course, stopwatch?: Stopwatch): Promise<Contender> {
  return who === 'Keepsake' ? openKeepsake(course, stopwatch) : openRawSqlite(course, stopwatch);
}

function copyFor(folder: string, messages: number, strategy: Strategy, name: string): string {
  const path = join(folder, `${name.replaceAll(' ', '-')}.db`);
  for (const rest of ['', '-wal', '-shm']) rmSync(path + rest, { force: true });
  copyFileSync(join(folder, `${messages}.db`), path);
  seedSummaries(path, strategy);
  return path;
}

function key(who: Who, messages: number): string {
  return `${who} ${messages}`;
}

function wholeTurns(results: readonly Results[], classic: Map<string, string[]>): string {
  const rows = results.flatMap(({ strategy, turns: timings }) => {
    const cells = (who: Who) => LENGTHS.map((length) => both(timings.get(key(who, length))));
    const cpu = (who: Who, length: number) => median(timings.get(key(who, length))?.cpu ?? []);
    const flat = (who: Who) => ratio(cpu(who, 100_000) / cpu(who, 1_000));
    const folds = mean(timings.get(key('Keepsake', 100_000))?.rest ?? []);
    const behind = strategy.name.startsWith('summary') ? duration(folds) : '–';
    return [
      [`**${strategy.name}**, Keepsake`, ...cells('Keepsake'), flat('Keepsake'), behind],
      [`${strategy.name}, raw SQLite`, ...cells('raw SQLite'), flat('raw SQLite'), '–'],
      [`${strategy.name}, LangChain classic`, ...(classic.get(strategy.name) ?? []), '–', '–'],
    ];
  });
  return markdown({
    title: 'A turn apart from the model',
    about:
      'Processor time (elapsed time) of a whole turn, medians, by messages in the session: hear and store the question, ' +
      'load, plan, build the prompt, store the answer, settle. Aim: 100,000 : 1,000 within 1.2 × under every strategy. ' +
      'Raw SQLite: the same rows, tables and pragmas (`synchronous = FULL`): one select and two inserts. LangChain classic: ' +
      'the memory of that name over a JSON file, which does not wait for the disk. “behind” is the mean processor time a turn of ' +
      'the folds that follow the reply.',
    head: ['', ...LENGTHS.map(whole), '100,000 : 1,000', 'behind'],
    rows,
  });
}

function both(timing: Timing | undefined): string {
  return `${duration(median(timing?.cpu ?? []))} (${duration(median(timing?.wall ?? []))})`;
}

function storage(results: readonly Results[]): string {
  const rows = results.map(({ strategy, split }) => {
    const part = (who: Who, name: string) => median(split[who].samples(name).slice(WARM_UP));
    const pair = (name: string) => [part('Keepsake', name), part('raw SQLite', name)] as const;
    const [load, append] = [pair('load'), pair('append')];
    const besides = part('Keepsake', 'besides');
    const raw = load[1] + append[1];
    const both = load[0] + append[0];
    return [strategy.name, ...[...load, ...append].map(duration), ratio(both / raw), duration(besides)];
  });
  return markdown({
    title: `Of that, in the store, at ${whole(SPLIT)} messages`,
    about:
      'Processor time of the storage verbs of a turn, medians: the history loaded, question and answer appended (a commit each). ' +
      'Aim: load and append within 2 × of raw SQLite. “besides” is what the store does in a turn that raw SQLite does not: ' +
      'it looks up session, settings, waiting questions and deliveries, and commits that the answer was delivered.',
    head: ['', 'load', 'raw', 'append', 'raw', 'load + append : raw', 'besides'],
    rows,
  });
}
