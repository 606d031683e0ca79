import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { SUMMARY } from '../support/models.js';
import { whole } from '../support/report.js';
import { type Figure, figureTable } from './figures.js';
import { megabytes, millis, pace, percentile } from './pace.js';
import { sizeOf } from './readings.js';
import { seedRows, seedSummaries } from './seed-rows.js';
import { openStage, type Stage } from './stage.js';
import { loopDelays } from './steady.js';

const ROWS = 200;
const LIVE = 20;
const QUESTIONS = 200;
/** Longer ago than what a start reads up on, since the loopback Discord does not hold the seeded messages. */
const AGE_MS = 10 * 86_400_000;

/** Ten thousand sessions that have been talking for long: whether anything depends on how much is stored. */
export async function bigStore(sessions: number): Promise<string> {
  const stage = await openStage({ channels: sessions, channelsPerServer: 500 });
  try {
    const filled = performance.now();
    fill(stage);
    const filling = performance.now() - filled;
    const rows = countRows(stage.databasePath);
    const size = sizeOf(stage.databasePath);
    const { startedIn } = await stage.start();
    const sweeping = await watchStart(stage);
    const asking = await askAround(stage);
    return figureTable(
      `Big store: ${whole(sessions)} sessions × ${ROWS} rows`,
      'Each session has a summary and 20 live rows; one question a time in sessions all over the file, none read before.',
      [
        ['rows', whole(rows), '2,000,000'],
        ['file', `${megabytes(size)}, ${((size * 1_048_576) / rows).toFixed(0)} bytes a row`, '–'],
        ['filled in', millis(filling), '–'],
        ['from the start of the process to the login', millis(startedIn), '–'],
        ...sweeping,
        ...asking,
      ],
    );
  } finally {
    await stage.close();
  }
}

function fill(stage: Stage): void {
  const { databasePath, channels } = stage;
  const channelIds = channels.map(({ id }) => id);
  const serverIds = channels.map(({ guildId }) => guildId ?? '');
  seedRows({ databasePath, channelIds, serverIds, rows: ROWS, until: Date.now() - AGE_MS });
  seedSummaries(databasePath, LIVE, SUMMARY);
}

/** The start goes through all sessions: for folds that are due, for what retention ends, for what was missed. */
async function watchStart(stage: Stage): Promise<Figure[]> {
  await sleep(30_000);
  const readings = await stage.readings();
  return [
    ['event loop delay in the first 30 s, p50 / p99 / longest', loopDelays(readings), 'p99 < 100 ms'],
    ['resident memory after 30 s', megabytes(readings.rss), '–'],
  ];
}

async function askAround(stage: Stage): Promise<Figure[]> {
  const { channels, endpoint, ledger } = stage;
  const step = Math.max(1, Math.floor(channels.length / QUESTIONS));
  await pace(5, QUESTIONS / 5, (i) => void stage.ask((i * step + 1) % channels.length));
  const left = await stage.settled(60_000);
  const readings = await stage.readings();
  const untilModel = ledger.asked().map(({ mark, saidAt }) => {
    return (endpoint.calls.get(mark ?? '')?.arrivedAt ?? Number.NaN) - saidAt;
  });
  const recalls = readings.metrics.get('keepsake_turn_seconds_count{part="recall"}') ?? 0;
  const recalled = readings.metrics.get('keepsake_turn_seconds_sum{part="recall"}') ?? Number.NaN;
  return [
    ['context built, mean', millis((recalled / recalls) * 1_000), '–'],
    ['from the question to the model’s request, p50', millis(percentile(untilModel, 0.5)), '–'],
    ['from the question to the model’s request, p95', millis(percentile(untilModel, 0.95)), '–'],
    ['questions not answered', String(left), '0'],
    ['event loop delay meanwhile, p50 / p99 / longest', loopDelays(readings), 'p99 < 100 ms'],
  ];
}

function countRows(path: string): number {
  const db = new Sqlite(path, { readonly: true });
  const rows = db.prepare('SELECT count(*) FROM messages').pluck().get() as number;
  db.close();
  return rows;
}
