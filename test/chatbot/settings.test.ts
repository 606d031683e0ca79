import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Session } from '../../src/conversation/session.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';

let world: TestChatbot;
beforeEach(async () => {
  world = await openChatbot();
});
afterEach(() => world.close());

const HERE: Session = { id: 'discord:2', parentId: 'discord:1', serverId: '9' };
const DEFAULT = { value: 'scripted', origin: 'default', since: 0 };

/** The same store under an owner who allows these models, and the name of the model that answers a question there. */
function under(allowedModels: readonly string[] | null) {
  const named: string[] = [];
  const { model, deps } = world;
  const modelNamed = (name: string) => {
    named.push(name);
    return model;
  };
  const chatbot = new Chatbot({ ...deps, modelNamed, options: { ...deps.options, allowedModels } });
  return {
    chatbot,
    async answering(): Promise<string | undefined> {
      const message = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: world.time.now, addressed: true };
      await chatbot.receive({ session: HERE, platformId: `m${named.length}`, text: 'hello', ...message });
      await chatbot.answer(HERE, async (pieces) => {
        for await (const _ of pieces);
      });
      return named.find((name) => name !== 'scripted') ?? named[0];
    },
  };
}

describe('a model that was set while it was allowed', () => {
  it('answers as long as it is', async () => {
    const { chatbot, answering } = under(['scripted', 'dear']);
    await chatbot.set('server:9', 'model', 'dear');
    expect((await chatbot.settings(HERE)).model).toMatchObject({ value: 'dear', origin: 'server' });
    expect(await answering()).toBe('dear');
  });

  it.each([[['scripted', 'cheap']], [['cheap']], [[]]])('is not used when only %j are allowed', async (allowed) => {
    await under(['dear']).chatbot.set('server:9', 'model', 'dear');
    const { chatbot, answering } = under(allowed);
    expect((await chatbot.settings(HERE)).model).toEqual(DEFAULT);
    expect((await chatbot.report(HERE)).settings.model).toEqual(DEFAULT);
    expect(await answering()).toBe('scripted');
  });

  it('gives way to what a wider scope has set, and comes back when it is allowed again', async () => {
    const { chatbot } = under(null);
    await chatbot.set(HERE.id, 'model', 'dear');
    await chatbot.set('discord:1', 'model', 'unknown');
    await chatbot.set('server:9', 'model', 'cheap');
    expect((await under(['cheap']).chatbot.settings(HERE)).model).toMatchObject({ value: 'cheap', origin: 'server' });
    expect((await under(['cheap', 'dear']).chatbot.settings(HERE)).model).toMatchObject({
      value: 'dear',
      origin: 'here',
    });
  });

  it('may be any where all are allowed, and the default one always', async () => {
    const { chatbot } = under(null);
    await chatbot.set(HERE.id, 'model', 'dear');
    expect((await chatbot.settings(HERE)).model.value).toBe('dear');
    await chatbot.set(HERE.id, 'model', 'scripted');
    expect((await under(['cheap']).chatbot.settings(HERE)).model).toMatchObject({ value: 'scripted', origin: 'here' });
  });
});
