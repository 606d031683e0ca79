import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, createApp } from '../src/app.js';
import { readConfig } from '../src/config.js';
import { terminalSession } from '../src/conversation/session.js';
import { createLogger } from '../src/logger.js';
import { type FakeOpenAI, startFakeOpenAI } from './support/fake-openai/index.js';

let openai: FakeOpenAI;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-app-'));
  openai = await startFakeOpenAI();
});
afterEach(async () => {
  await openai.close();
  rmSync(folder, { recursive: true });
});

const SESSION = terminalSession('here');

/** Runs a chatbot as the programs make it, under an owner who allows these models. */
async function living(allowed: string, work: (app: App) => Promise<void>): Promise<void> {
  const env = {
    DATABASE_URL: join(folder, 'keepsake.db'),
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_MODEL: 'cheap',
    ALLOWED_MODELS: allowed,
  };
  const app = await createApp(readConfig(env, join(folder, 'none')).config, createLogger('silent'));
  await work(app).finally(() => app.close(0));
}

/** The model that the endpoint is asked for. */
async function asked({ chatbot }: App, platformId: string): Promise<string | undefined> {
  const message = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: Date.now(), addressed: true };
  await chatbot.receive({ session: SESSION, platformId, text: 'hello', ...message });
  await chatbot.answer(SESSION, async (pieces) => {
    for await (const _ of pieces);
  });
  return openai.chats().at(-1)?.model;
}

describe('a restart', () => {
  it.each(['other,cheap', ''])(
    'with ALLOWED_MODELS=%s ends the use of a model that was allowed before',
    async (list) => {
      await living('dear,cheap', async (app) => {
        await app.chatbot.set('server:terminal', 'model', 'dear');
        expect(await asked(app, '1')).toBe('dear');
      });
      await living(list, async (app) => {
        expect((await app.chatbot.settings(SESSION)).model).toMatchObject({ value: 'cheap', origin: 'default' });
        expect(await asked(app, '2')).toBe('cheap');
      });
    },
  );
});
