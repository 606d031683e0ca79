import { setTimeout as sleep } from 'node:timers/promises';
import { whole } from '../support/report.js';
import { figureTable, processorFigures, spread, verdictFigures } from './figures.js';
import { pace, percentile } from './pace.js';
import { openStage } from './stage.js';
import { answerOverheads, loopDelays, wake } from './steady.js';

const PER_SECOND = 16;
const CHANNELS = 400;

/** As many replies a second as Discord's ceiling of 50 requests a second lets a bot give. */
export async function replies(seconds: number): Promise<string> {
  const speech = { firstMs: 400, everyMs: 20, words: 40 };
  const stage = await openStage({ channels: CHANNELS, speech });
  try {
    await stage.start();
    await wake(stage, 100);
    stage.ask(0);
    await stage.settled(30_000);
    stage.discord.rateLimits.use({});
    await sleep(2_000);
    const first = await stage.readings();
    const began = performance.now();
    const before = stage.ledger.requests.total;
    const rate = await pace(PER_SECOND, seconds, (i) => void stage.ask((i * 7) % CHANNELS));
    const left = await stage.settled(120_000);
    const after = await stage.readings();
    const took = performance.now() - began;
    const { bySecond, refused, total } = stage.ledger.requests;
    const asked = stage.ledger.asked().slice(1);
    const done = asked.map(({ saidAt, doneAt }) => doneAt - saidAt);
    const late = percentile(done.slice(-200), 0.5) / percentile(done.slice(0, 200), 0.5);
    return figureTable(
      `Replies: ${PER_SECOND} a second for ${seconds} s against 50 requests a second`,
      `The model takes 0.4 s to its first word and 0.8 s for the rest; ${CHANNELS} channels; 5 messages or edits per channel and 5 s.`,
      [
        ['questions a second', rate.toFixed(1), String(PER_SECOND)],
        ['requests refused with 429', String(refused), '0'],
        ['requests a reply', ((total - before) / asked.length).toFixed(2), '≤ 3.1'],
        ['requests in the busiest second', String(Math.max(...bySecond.values())), '–'],
        ['until the answer’s first request but the model, p50 / p99', spread(answerOverheads(stage, asked)), '–'],
        ['until the answer stands complete, p50 / p99', spread(done), '–'],
        ['the last 200 against the first 200', `${late.toFixed(2)} ×`, '≈ 1, so that no queue builds up'],
        ['event loop delay, p50 / p99 / longest', loopDelays(after), 'p99 < 100 ms'],
        ...processorFigures(first, after, asked.length, took),
        ['not complete at the end', whole(left), '0'],
        ...verdictFigures(stage.verdict()),
      ],
    );
  } finally {
    await stage.close();
  }
}
