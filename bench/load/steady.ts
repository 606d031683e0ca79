import { setTimeout as sleep } from 'node:timers/promises';
import { whole } from '../support/report.js';
import { openDurabilityProbe } from './durable.js';
import { type Figure, figureTable, processorFigures, spread, verdictFigures } from './figures.js';
import { megabytes, millis, pace } from './pace.js';
import { openStage, type Stage } from './stage.js';

/** Talk at a rate: every `askEvery`th message is a question. */
export type Rate = { perSecond: number; seconds: number; askEvery: number };

const SESSIONS = 2_000;

/** Talk in every channel once, so that all of them are live sessions. */
export async function wake(stage: Stage, perSecond = 500): Promise<void> {
  await pace(perSecond, stage.channels.length / perSecond, (i) => void stage.talk(i % stage.channels.length));
}

/** Keeps talking at a rate over all channels; gives what it measured meanwhile. */
export async function talkSteadily(stage: Stage, { perSecond, seconds, askEvery }: Rate): Promise<Figure[]> {
  const probe = openDurabilityProbe(stage.databasePath);
  const before = await stage.readings();
  const began = performance.now();
  let asked = 0;
  const first = stage.ledger.said.size;
  const rate = await pace(perSecond, seconds, (i) => {
    const ask = i % askEvery === askEvery - 1;
    if (ask) asked += 1;
    // A stride that shares no factor with the number of channels visits all of them in a scattered order.
    const channel = ((ask ? asked : i) * 773) % stage.channels.length;
    const id = ask ? stage.ask(channel) : stage.talk(channel);
    if (i % 50 === 0) probe.watch(stage.channels[channel]!.id, id);
  });
  await stage.settled(60_000);
  await sleep(1_000);
  const readings = await stage.readings();
  probe.close();
  const questions = [...stage.ledger.said.values()].slice(first).filter(({ mark }) => mark !== null);
  return [
    ['messages a second', rate.toFixed(0), String(perSecond)],
    ['of them questions', whole(asked), '–'],
    ['until stored, p50 / p99', spread(probe.samples), 'p99 < 50 ms'],
    ['until the answer’s first request but the model, p50 / p99', spread(answerOverheads(stage, questions)), '–'],
    ['event loop delay, p50 / p99 / longest', loopDelays(readings), 'p99 < 100 ms'],
    ...processorFigures(before, readings, perSecond * seconds, performance.now() - began),
    ['resident memory at the end', megabytes(readings.rss), '–'],
    ['write-ahead log', megabytes(readings.wal), '< 64 MB'],
  ];
}

/** Delays of the bot's event loop since the reading before. */
export function loopDelays({
  loopP50,
  loopP99,
  loopMax,
}: {
  loopP50: number;
  loopP99: number;
  loopMax: number;
}): string {
  return `${millis(loopP50)} / ${millis(loopP99)} / ${millis(loopMax)}`;
}

/** From the saying to the first message of the answer, less the time between the model's request and its first word. */
export function answerOverheads(
  stage: Stage,
  questions: readonly { mark: string | null; saidAt: number; postedAt: number }[],
) {
  return questions.map(({ mark, saidAt, postedAt }) => {
    const call = stage.endpoint.calls.get(mark ?? '');
    return call === undefined ? Number.NaN : postedAt - saidAt - (call.firstWordAt - call.arrivedAt);
  });
}

/** The steady load that a large bot sees at its peak, twice over. */
export async function steady(seconds: number): Promise<string> {
  const stage = await openStage({ channels: SESSIONS });
  try {
    await stage.start();
    await wake(stage);
    await sleep(3_000);
    const rest = (await stage.readings()).rss;
    const figures = await talkSteadily(stage, { perSecond: 500, seconds, askEvery: 100 });
    await sleep(5_000);
    return figureTable(
      `Steady: ${whole(SESSIONS)} sessions, 500 messages a second for ${seconds} s`,
      'All talk is remembered (`listen:all`); one message in a hundred is a question.',
      [...figures, ['resident memory at rest, before', megabytes(rest), '–'], ...verdictFigures(stage.verdict())],
    );
  } finally {
    await stage.close();
  }
}
