import { setTimeout as sleep } from 'node:timers/promises';
import { failure, forever } from '../../test/support/fake-openai/index.js';
import type { Script } from '../../test/support/fake-openai/wire.js';
import type { Stage } from './stage.js';

/** Something that goes wrong for a while; `act` resolves when it is over. */
export type SoakFault = { name: string; act(stage: Stage): Promise<void> };

const LASTS_MS = 10_000;
const MESSAGES = /^\/channels\/\d+\/messages(\/\d+)?$/u;

const tooMany = (): Script => failure(429, { message: 'slow down' }, { 'retry-after': '2' });
const broken = (): Script => failure(500, { message: 'broken' });
const silent = (): Script => ({ before: forever });
const cutShort = (): Script => ({ steps: ['so far and ', { reset: true }] });

/** All faults, in the order in which they come; crashes stand together, so that most of a run is one life. */
export const SOAK_FAULTS: readonly SoakFault[] = [
  { name: 'model 429', act: (stage) => modelTrouble(stage, tooMany) },
  { name: 'kill -9', act: crashAndStart },
  { name: 'SIGTERM', act: endAndStart },
  { name: 'gateway drop', act: async ({ discord }) => discord.gateway.terminate() },
  { name: 'model 500', act: (stage) => modelTrouble(stage, broken) },
  { name: 'op 7', act: async ({ discord }) => discord.gateway.askReconnect() },
  { name: 'REST 503', act: async (stage) => meet(stage, 6, { kind: 'status', status: 503 }) },
  { name: 'op 9', act: async ({ discord }) => discord.gateway.invalidate(false) },
  { name: 'model stalls', act: (stage) => modelTrouble(stage, silent) },
  { name: 'REST answers lost', act: async (stage) => meet(stage, 4, { kind: 'lose-answer', how: 'reset' }) },
  { name: 'gateway refuses', act: refuseGateway },
  { name: 'REST 429', act: async (stage) => meet(stage, 5, { kind: 'rate-limited', scope: 'shared', retryAfter: 2 }) },
  { name: 'model cut off', act: (stage) => modelTrouble(stage, cutShort) },
  { name: 'REST refuses', act: refuseRest },
];

/** The everyday troubles of a model: 5 % of the calls get a 429, 2 % a 500, 1 % no answer at all. */
export function everydayTrouble(): Script | null {
  const chance = Math.random();
  if (chance < 0.05) return tooMany();
  if (chance < 0.07) return broken();
  return chance < 0.08 ? silent() : null;
}

async function modelTrouble({ endpoint }: Stage, script: () => Script): Promise<void> {
  endpoint.trouble = script;
  await sleep(LASTS_MS);
  endpoint.trouble = everydayTrouble;
}

async function meet({ discord }: Stage, times: number, fault: Parameters<Stage['discord']['faults']['add']>[1]) {
  const handle = discord.faults.add({ path: MESSAGES, times }, fault);
  await sleep(LASTS_MS);
  discord.faults.remove(handle);
}

async function crashAndStart(stage: Stage): Promise<void> {
  await stage.crash();
  await sleep(2_000);
  await stage.start();
}

/** A bot that is asked to end must do so by itself, in time and without an error. */
async function endAndStart(stage: Stage): Promise<void> {
  const began = performance.now();
  stage.bot().signal('SIGTERM');
  const { code } = await stage.bot().ended;
  const took = performance.now() - began;
  if (code !== 0 || took > 30_000) throw new Error(`SIGTERM: the bot ended with ${code} after ${took.toFixed(0)} ms`);
  await stage.start();
}

async function refuseGateway({ discord }: Stage): Promise<void> {
  await discord.gateway.refuse();
  await sleep(LASTS_MS);
  await discord.gateway.accept();
}

async function refuseRest({ discord }: Stage): Promise<void> {
  await discord.rest.refuse();
  await sleep(LASTS_MS);
  await discord.rest.accept();
}
