import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProcessWorld, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;
let address: string;

beforeAll(async () => {
  world = await openProcessWorld();
  const bot = await world.start({ HEALTH_PORT: '0', LOG_LEVEL: 'info' });
  const { host, port } = bot
    .errors()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(({ msg }) => msg === 'health server started');
  address = `http://${host}:${port}`;
});
afterAll(() => world.close());

const health = async () => {
  const response = await fetch(`${address}/healthz`);
  return [response.status, await response.json()] as const;
};

describe('a running bot', () => {
  it('listens on loopback and is healthy once it is logged in', async () => {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect(await health()).toEqual([
      200,
      { ok: true, gateway: 'connected', store: 'writable', lastFold: null, model: 'closed' },
    ]);
  });

  it('shows its turns, tokens and refusals to Prometheus', async () => {
    const channel = world.addChannel();
    await world.ask('hello', channel, world.addMember('ada'));
    const metrics = async () => (await fetch(`${address}/metrics`)).text();
    // The answer can be seen a moment before its turn has ended.
    await expect.poll(metrics).toMatch(/^keepsake_turns_total\{outcome="answered"\} [1-9]/mu);
    await expect.poll(metrics).toMatch(/^keepsake_queue_length 0$/mu);
    expect(await metrics()).toMatch(/^keepsake_turn_seconds_count\{part="model"\} [1-9]/mu);
  });
});
