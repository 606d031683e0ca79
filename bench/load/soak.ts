import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkPromises } from '../../test/support/check-promises.js';
import { whole } from '../support/report.js';
import { type Figure, figureTable, verdictFigures } from './figures.js';
import { megabytes, millis } from './pace.js';
import { everydayTrouble, SOAK_FAULTS } from './soak-faults.js';
import { startTraffic, type Traffic } from './soak-traffic.js';
import { type Life, type Look, livesOf, watchBot } from './soak-watch.js';
import { openStage, type Stage } from './stage.js';
import { wake } from './steady.js';

/** What a soak found: its report, and every promise that broke. */
export type SoakResult = { report: string; broken: string[] };

const CHANNELS = 40;
const FAULT_EVERY_MS = 30_000;
const FAULT_AFTER_MS = 10_000;
const SETTLE_MS = 180_000;
/** Short, so that a model that stalls is given up within a soak. */
const DEADLINES = { FIRST_BYTE_SECONDS: '5', IDLE_SECONDS: '5', TOTAL_SECONDS: '30', TURN_SECONDS: '45' };
const LIMITS = { wal: 64, growthPerMinute: 1, files: 20, loopP99: 100 };

/** Mixed talk for some minutes while something goes wrong every 30 s. */
export async function soak(minutes: number): Promise<SoakResult> {
  const speech = { firstMs: 150, everyMs: 20, words: 30 };
  const stage = await openStage({ channels: CHANNELS, channelsPerServer: 20, speech, env: DEADLINES });
  try {
    await stage.start();
    await wake(stage, 20);
    stage.endpoint.trouble = everydayTrouble;
    const watch = watchBot(stage);
    const traffic = startTraffic(stage);
    const began = performance.now();
    let faults = 0;
    for (; (faults + 1) * FAULT_EVERY_MS <= minutes * 60_000; faults += 1) {
      const fault = SOAK_FAULTS[faults % SOAK_FAULTS.length]!;
      await until(began + faults * FAULT_EVERY_MS + FAULT_AFTER_MS);
      console.error(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${fault.name}`);
      await fault.act(stage);
    }
    await until(began + minutes * 60_000);
    traffic.end();
    watch.end();
    await comeToRest(stage);
    return await conclude(stage, minutes, faults, watch.looks, traffic);
  } finally {
    await stage.close();
  }
}

function until(time: number): Promise<void> {
  return sleep(Math.max(0, time - performance.now()));
}

/** With all faults over, one more question in each channel must be answered, and nothing may wait. */
async function comeToRest(stage: Stage): Promise<void> {
  stage.endpoint.trouble = null;
  stage.discord.faults.clear();
  await sleep(FAULT_EVERY_MS);
  for (let channel = 0; channel < CHANNELS; channel += 1) stage.ask(channel);
  const end = performance.now() + SETTLE_MS;
  while (stage.verdict().waiting > 0 && performance.now() < end) await sleep(2_000);
  await sleep(5_000);
}

async function conclude(stage: Stage, minutes: number, faults: number, looks: Look[], traffic: Traffic) {
  stage.bot().signal('SIGTERM');
  const { code } = await stage.bot().ended;
  const verdict = stage.verdict();
  const promises = checkPromises({
    discord: stage.discord,
    openai: stage.endpoint.openai,
    path: stage.databasePath,
    channels: stage.channels,
    takenBack: traffic.takenBack,
    log: readFileSync(join(stage.folder, 'bot.log'), 'utf8'),
  });
  const broken = [...promises, ...verdict.unsound];
  if (verdict.lost + verdict.doubled > 0) broken.push(`lost ${verdict.lost}, doubled ${verdict.doubled}`);
  if (verdict.answeredTwice > 0) broken.push(`${verdict.answeredTwice} questions were answered twice`);
  if (code !== 0) broken.push(`the bot ended with ${code}`);
  const figures = resourceFigures(looks, broken);
  const report = figureTable(
    `Soak: ${minutes} minutes, ${faults} faults`,
    `${CHANNELS} channels, about ten messages a second, of which one in six is a question.`,
    [
      ...verdictFigures(verdict),
      ['messages deleted or changed', whole(traffic.takenBack.length), '–'],
      ...figures,
      ['promises that broke', String(broken.length), '0'],
    ],
  );
  return { report, broken };
}

const listed = (megabytesByMinute: readonly number[]) => megabytesByMinute.map((each) => each.toFixed(0)).join(', ');

/** What the bot used over its lives; what passes a limit is added to `broken`. */
function resourceFigures(looks: readonly Look[], broken: string[]): Figure[] {
  const lives = livesOf(looks);
  const most = (pick: (look: Look) => number) => Math.max(...looks.map(pick));
  const wal = most((look) => look.wal);
  const sorted = looks.map(({ loopP99 }) => loopP99).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? Number.NaN;
  if (wal > LIMITS.wal) broken.push(`the write-ahead log grew to ${megabytes(wal)}`);
  for (const life of lives) {
    const growth = life.filesLast - life.filesFirst;
    if (growth > LIMITS.files) broken.push(`${growth} more open files after ${life.minutes.toFixed(1)} minutes`);
    const grown = (what: string, perMinute: number) =>
      `${what} grew by ${perMinute.toFixed(2)} MB a minute over ${life.minutes.toFixed(1)} minutes`;
    const { telling, heapPerMinute, rssPerMinute } = life;
    if (telling.heap && heapPerMinute > LIMITS.growthPerMinute) broken.push(grown('what lives', heapPerMinute));
    if (telling.rss && rssPerMinute > LIMITS.growthPerMinute) broken.push(grown('resident memory', rssPerMinute));
  }
  const over = ({ minutes: span }: Life, perMinute: number) => `${perMinute.toFixed(2)} over ${span.toFixed(1)} min`;
  const slopes = lives.map((life) => over(life, life.rssPerMinute));
  const heaps = lives.map((life) => `${listed(life.heap)} (${over(life, life.heapPerMinute)})`);
  const minutes = lives.map(({ rss }) => listed(rss));
  const files = lives.map(({ filesFirst, filesLast }) => `${filesFirst} → ${filesLast}`);
  return [
    ['resident memory, most', megabytes(most(({ rss }) => rss)), '–'],
    [
      'its slope after a warm-up, MB a minute, by life',
      slopes.join('; ') || 'too short',
      `< ${LIMITS.growthPerMinute} over 15 min`,
    ],
    ['least of it in each minute, by life', minutes.join('; ') || 'too short', '–'],
    [
      'what lives on the heap, likewise, and its slope, MB a minute',
      heaps.join('; ') || 'too short',
      `< ${LIMITS.growthPerMinute} over 4 min`,
    ],
    ['fewest open files in the first and the last minute, by life', files.join('; ') || 'too short', 'flat'],
    ['write-ahead log, most', megabytes(wal), `< ${LIMITS.wal} MB`],
    [
      'event loop delay, p99 of each 5 s, median / worst',
      `${millis(median)} / ${millis(sorted.at(-1) ?? Number.NaN)}`,
      `p99 < ${LIMITS.loopP99} ms`,
    ],
    ['its longest delay', millis(most(({ loopMax }) => loopMax)), '–'],
  ];
}
