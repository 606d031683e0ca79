import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, figureTable, verdictFigures } from '../load/figures.js';
import type { Said } from '../load/ledger.js';
import { megabytes, millis, pace, percentile } from '../load/pace.js';
import { residentMemory } from '../load/readings.js';
import { openStage, type Stage } from '../load/stage.js';
import { answerOverheads, loopDelays, talkSteadily } from '../load/steady.js';
import { markdown, whole } from '../support/report.js';

const SESSIONS = 2_000;
const QUESTIONS = 60;
const FEW = 10_000;
const MANY = 100_000;
const PER_SECOND = 500;
const ASK_EVERY = 100;
/** `DISCORD_SECONDS` shortens the minute of load, and what is talked for the memory in proportion. */
const SECONDS = Number(process.env.DISCORD_SECONDS ?? 60);
const scale = SECONDS / 60;

/** Measures the bot between a loopback Discord and a loopback model: how soon it answers, and what it carries. */
export async function discord(): Promise<string> {
  const alone = await openStage({ channels: 1 });
  const rows: string[][] = [];
  try {
    await alone.start();
    rows.push(await askOneByOne(alone, '1 live session'));
  } finally {
    await alone.close();
  }
  const crowd = await openStage({ channels: SESSIONS });
  try {
    await crowd.start();
    const figures = await carry(crowd, rows);
    return [latencies(rows), figures].join('\n');
  } finally {
    await crowd.close();
  }
}

/** Memory after few and many messages; between them, how soon questions are answered at rest, and a minute of load. */
async function carry(stage: Stage, rows: string[][]): Promise<string> {
  await sleep(2_000);
  const rest = await atRest(stage);
  await talk(stage, FEW * scale);
  const few = await atRest(stage);
  rows.push(await askOneByOne(stage, `${whole(SESSIONS)} live sessions`));
  const load = await talkSteadily(stage, { perSecond: PER_SECOND, seconds: SECONDS, askEvery: ASK_EVERY });
  await talk(stage, MANY * scale - stage.ledger.said.size);
  const many = await atRest(stage);
  const memory: Figure[] = [
    ['resident memory at rest, after the start', megabytes(rest), '–'],
    [`after ${whole(FEW * scale)} messages`, megabytes(few), '–'],
    [`after ${whole(MANY * scale)} messages`, megabytes(many), '–'],
    ['growth between them', `${((many / few - 1) * 100).toFixed(0)} %`, '≤ 20 %'],
  ];
  return figureTable(
    `${PER_SECOND} messages a second over ${whole(SESSIONS)} sessions for ${SECONDS} s`,
    'All talk is remembered (`listen:all`), one message in a hundred is a question.',
    [...load, ...memory, ...verdictFigures(stage.verdict())],
  );
}

/** Talk of the same kind as under load, so that memory is compared after the same work. */
async function talk(stage: Stage, messages: number): Promise<void> {
  let asked = 0;
  await pace(PER_SECOND, Math.max(0, messages) / PER_SECOND, (i) => {
    if (i % ASK_EVERY !== 0) return void stage.talk((i * 773) % stage.channels.length);
    asked += 1;
    stage.ask((asked * 331) % stage.channels.length);
  });
}

/** Resident memory once nothing goes on: the least of some seconds. */
async function atRest(stage: Stage): Promise<number> {
  await stage.settled(30_000);
  let least = Number.POSITIVE_INFINITY;
  for (let second = 0; second < 10; second += 1) {
    await sleep(1_000);
    least = Math.min(least, residentMemory(stage.bot().pid));
  }
  return least;
}

async function askOneByOne(stage: Stage, name: string): Promise<string[]> {
  const channel = (i: number) => (i * 331) % stage.channels.length;
  // The first question waits for the token counter, which is built in the background.
  for (let i = 0; i < 3; i += 1) await askAndWait(stage, channel(i));
  await stage.readings();
  const asked: Said[] = [];
  for (let i = 0; i < QUESTIONS; i += 1) asked.push(await askAndWait(stage, channel(i + 3)));
  const readings = await stage.readings();
  const typing = asked.map(({ typingAt, saidAt }) => typingAt - saidAt);
  const overheads = answerOverheads(stage, asked);
  const pair = (samples: number[]) => [0.5, 0.99].map((share) => millis(percentile(samples, share)));
  return [name, ...pair(typing), ...pair(overheads), loopDelays(readings)];
}

async function askAndWait(stage: Stage, channel: number): Promise<Said> {
  const id = stage.ask(channel);
  await stage.settled(30_000);
  const said = stage.ledger.said.get(id);
  if (said === undefined || Number.isNaN(said.doneAt)) throw new Error('a question was not answered');
  return said;
}

function latencies(rows: readonly string[][]): string {
  return markdown({
    title: 'From MESSAGE_CREATE to the first request for the answer',
    about: `The bot’s own process, ${QUESTIONS} questions one by one. “typing” is the first request of all; “answer” is the request that posts the first text, the model’s time taken out.`,
    head: ['', 'typing p50', 'p99', 'answer p50', 'p99', 'event loop delay p50 / p99 / longest'],
    rows,
  });
}
