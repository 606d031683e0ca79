import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { whole } from '../support/report.js';
import { figureTable, spread } from './figures.js';
import { millis, pace, percentile } from './pace.js';
import { seedRows } from './seed-rows.js';
import { openStage, type Stage } from './stage.js';
import { answerOverheads, loopDelays } from './steady.js';

/** Some 60 rows of 100 tokens are twice what the default strategy keeps. */
const ROWS = 60;
const OTHERS = 50;
const FOLDS_AT_ONCE = 3;
const SUMMARY_MS = 300;
const PER_SECOND = 2;
const AGE_MS = 10 * 86_400_000;

/** Hundreds of sessions are past their limit when the bot starts; others ask meanwhile, and again when all is folded. */
export async function compactionStorm(sessions: number): Promise<string> {
  const stage = await openStage({ channels: sessions + OTHERS });
  try {
    fill(stage, sessions);
    stage.endpoint.summaryMs = SUMMARY_MS;
    const { databasePath, endpoint, ledger } = stage;
    await stage.start();
    const began = performance.now();
    // The first answer waits for the token counter, which every start builds in the background.
    stage.ask(sessions);
    await stage.settled(60_000);
    const warm = ledger.asked().length;
    await stage.readings();
    while (countSummaries(databasePath) < sessions && performance.now() - began < 600_000) {
      await pace(PER_SECOND, 2, (i) => void stage.ask(sessions + ((ledger.said.size + i) % OTHERS)));
    }
    const took = performance.now() - began;
    await stage.settled(30_000);
    const during = await stage.readings();
    const inStorm = ledger.asked().slice(warm);
    await sleep(2_000);
    await pace(PER_SECOND, 30, (i) => void stage.ask(sessions + (i % OTHERS)));
    const left = await stage.settled(30_000);
    const after = ledger.asked().slice(warm + inStorm.length);
    const [storm, calm] = [answerOverheads(stage, inStorm), answerOverheads(stage, after)];
    return figureTable(
      `Compaction storm: ${whole(sessions)} sessions past their limit at once`,
      `A summary takes the model ${SUMMARY_MS} ms; ${PER_SECOND} questions a second in ${OTHERS} other sessions meanwhile, and for 30 s after.`,
      [
        ['sessions folded', `${whole(countSummaries(databasePath))} of ${whole(sessions)}`, 'all'],
        ['until all were folded', millis(took), '–'],
        ['summaries asked for', whole(endpoint.summaries.asked), '–'],
        ['summaries in the making at once, at most', String(endpoint.summaries.most), `≤ ${FOLDS_AT_ONCE}`],
        ['until an answer’s first request but the model, in the storm, p50 / p99', spread(storm), '–'],
        ['the same after it', spread(calm), '–'],
        [
          'median in the storm against after',
          `${(percentile(storm, 0.5) / percentile(calm, 0.5)).toFixed(2)} ×`,
          '≤ 1.5 ×',
        ],
        ['questions not answered', String(left), '0'],
        ['event loop delay in the storm, p50 / p99 / longest', loopDelays(during), 'p99 < 100 ms'],
      ],
    );
  } finally {
    await stage.close();
  }
}

function fill({ databasePath, channels }: Stage, sessions: number): void {
  const full = channels.slice(0, sessions);
  seedRows({
    databasePath,
    channelIds: full.map(({ id }) => id),
    serverIds: full.map(({ guildId }) => guildId ?? ''),
    rows: ROWS,
    until: Date.now() - AGE_MS,
  });
}

function countSummaries(path: string): number {
  const db = new Sqlite(path, { readonly: true });
  const found = db.prepare('SELECT count(DISTINCT session_id) FROM summaries').pluck().get() as number;
  db.close();
  return found;
}
