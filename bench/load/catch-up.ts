import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { whole } from '../support/report.js';
import { figureTable, verdictFigures } from './figures.js';
import { megabytes, millis, pace } from './pace.js';
import { openStage, type Stage } from './stage.js';
import { loopDelays, wake } from './steady.js';

const MISSED_PER_SESSION = 20;
const LONGEST_MS = 600_000;

/** The bot was away while a thousand sessions went on talking. */
export async function catchUp(sessions: number): Promise<string> {
  const stage = await openStage({ channels: sessions });
  try {
    await stage.start();
    await wake(stage, 200);
    await sleep(3_000);
    await stage.crash();
    const missed = sessions * MISSED_PER_SESSION;
    await pace(2_000, missed / 2_000, (i) => void stage.talk(i % sessions, true));
    const { ledger, databasePath } = stage;
    const began = performance.now();
    await stage.start();
    const loggedIn = performance.now();
    await stage.readings();
    while (countStored(databasePath) < ledger.said.size && performance.now() - began < LONGEST_MS) await sleep(500);
    const took = performance.now() - loggedIn;
    await sleep(3_000);
    const after = await stage.readings();
    return figureTable(
      `Catch-up: ${whole(sessions)} sessions, ${whole(missed)} missed messages`,
      'All of it was said while the bot’s process did not run.',
      [
        ['from the login until all is stored', millis(took), '≤ 3 min'],
        ['requests a second, busiest second', String(busiest(stage, loggedIn)), '≤ 25'],
        ['event loop delay, p50 / p99 / longest', loopDelays(after), 'p99 < 100 ms'],
        ['resident memory', megabytes(after.rss), '–'],
        ...verdictFigures(stage.verdict()),
      ],
    );
  } finally {
    await stage.close();
  }
}

/** The requests of the first second belong to the login. */
function busiest({ ledger }: Stage, from: number): number {
  const seconds = [...ledger.requests.bySecond].filter(([second]) => second > from / 1_000 + 1);
  return Math.max(0, ...seconds.map(([, count]) => count));
}

function countStored(path: string): number {
  const db = new Sqlite(path, { readonly: true });
  const found = db.prepare(`SELECT count(*) FROM messages WHERE role = 'user'`).pluck().get() as number;
  db.close();
  return found;
}
