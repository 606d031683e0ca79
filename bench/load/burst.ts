import { setTimeout as sleep } from 'node:timers/promises';
import { whole } from '../support/report.js';
import { figureTable, verdictFigures } from './figures.js';
import { megabytes, millis, pace } from './pace.js';
import { residentMemory } from './readings.js';
import { openStage } from './stage.js';
import { loopDelays, wake } from './steady.js';

const PER_SECOND = 1_000;

/** A raid: everything at once in one channel, while others go on talking. */
export async function burst(seconds: number): Promise<string> {
  const stage = await openStage({ channels: 20 });
  try {
    await stage.start();
    await wake(stage, 20);
    stage.ask(1);
    await stage.settled(30_000);
    await sleep(3_000);
    const before = await stage.readings();
    let highest = before.rss;
    const watching = setInterval(() => {
      highest = Math.max(highest, residentMemory(stage.bot().pid));
    }, 100);
    const began = performance.now();
    const rate = await pace(PER_SECOND, seconds, (i) => void (i % 500 === 499 ? stage.ask(0) : stage.talk(0)));
    await stage.settled(60_000);
    const took = performance.now() - began;
    clearInterval(watching);
    const after = await stage.readings();
    return figureTable(
      `Burst: ${whole(PER_SECOND * seconds)} messages in ${seconds} s into one channel`,
      'One message in 500 is a question.',
      [
        ['messages a second', rate.toFixed(0), String(PER_SECOND)],
        ['until all was stored and answered', millis(took), '–'],
        ['event loop delay, p50 / p99 / longest', loopDelays(after), '–'],
        ['resident memory, growth at most', megabytes(highest - before.rss), '< 200 MB'],
        ...verdictFigures(stage.verdict()),
      ],
    );
  } finally {
    await stage.close();
  }
}
