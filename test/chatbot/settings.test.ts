import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Session } from '../../src/conversation/session.js';
import { type Bench, putOnBench } from './bench.js';

let bench: Bench;
beforeEach(async () => {
  bench = await putOnBench();
});
afterEach(() => bench.close());

const HERE: Session = { id: 'discord:2', parentId: 'discord:1', serverId: '9' };
const DEFAULT = { value: 'scripted', origin: 'default', since: 0 };

/** The same store under an owner who allows these models, and the name of the model that answers a question there. */
function under(allowedModels: readonly string[] | null) {
  const named: string[] = [];
  const { model, parts } = bench;
  const modelNamed = (name: string) => {
    named.push(name);
    return model;
  };
  const bot = new Chatbot({ ...parts, modelNamed, options: { ...parts.options, allowedModels } });
  return {
    bot,
    async answering(): Promise<string | undefined> {
      const message = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: bench.time.now, addressed: true };
      await bot.receive({ session: HERE, platformId: `m${named.length}`, text: 'hello', ...message });
      await bot.answer(HERE, async (pieces) => {
        for await (const _ of pieces);
      });
      return named.find((name) => name !== 'scripted') ?? named[0];
    },
  };
}

describe('a model that was set while it was allowed', () => {
  it('answers as long as it is', async () => {
    const { bot, answering } = under(['scripted', 'dear']);
    await bot.set('server:9', 'model', 'dear');
    expect((await bot.settings(HERE)).model).toMatchObject({ value: 'dear', origin: 'server' });
    expect(await answering()).toBe('dear');
  });

  it.each([[['scripted', 'cheap']], [['cheap']], [[]]])('is not used when only %j are allowed', async (allowed) => {
    await under(['dear']).bot.set('server:9', 'model', 'dear');
    const { bot, answering } = under(allowed);
    expect((await bot.settings(HERE)).model).toEqual(DEFAULT);
    expect((await bot.report(HERE)).settings.model).toEqual(DEFAULT);
    expect(await answering()).toBe('scripted');
  });

  it('gives way to what a wider scope has set, and comes back when it is allowed again', async () => {
    const { bot } = under(null);
    await bot.set(HERE.id, 'model', 'dear');
    await bot.set('discord:1', 'model', 'unknown');
    await bot.set('server:9', 'model', 'cheap');
    expect((await under(['cheap']).bot.settings(HERE)).model).toMatchObject({ value: 'cheap', origin: 'server' });
    expect((await under(['cheap', 'dear']).bot.settings(HERE)).model).toMatchObject({ value: 'dear', origin: 'here' });
  });

  it('may be any where all are allowed, and the default one always', async () => {
    const { bot } = under(null);
    await bot.set(HERE.id, 'model', 'dear');
    expect((await bot.settings(HERE)).model.value).toBe('dear');
    await bot.set(HERE.id, 'model', 'scripted');
    expect((await under(['cheap']).bot.settings(HERE)).model).toMatchObject({ value: 'scripted', origin: 'here' });
  });
});
