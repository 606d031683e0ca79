import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeDiscord } from '../../test/support/fake-discord/index.js';
import { type Endpoint, SUMMARY_MODEL } from './endpoint.js';

/** The environment of a bot between these two; nobody has to wait before asking again. */
export function environment(discord: FakeDiscord, { openai }: Endpoint): Record<string, string> {
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_API_KEY: 'sk-loopback',
    OPENAI_MODEL: 'fake-model',
    SUMMARY_MODEL,
    CONTEXT_WINDOW: '60000',
    DATABASE_URL: 'file:./keepsake.db',
    LOG_LEVEL: 'info',
    PROBE_LOCAL: '0',
    COOLDOWN_SECONDS: '0',
    CRASH_PAUSE_SECONDS: '0',
    ANSWERS_PER_SERVER: '1000',
  };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
