import { expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import { openChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

const PICTURE = { url: 'data:image/png;base64,AA==' };

it.each([
  [4_096, 0],
  [16_000, 2],
  [128_000, 4],
])('a window of %i tokens takes %i of four pictures, and the question is whole', async (contextWindow, pictures) => {
  const world = await openChatbot({ model: scriptedModel(() => 'ok', { contextWindow }) });
  onTestFinished(() => world.close());
  const said = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: world.time.now, addressed: true };
  await world.chatbot.receive({ ...said, session: world.session, platformId: '1', text: 'what is on them?' });
  const deliver = async (pieces: AsyncIterable<string>) => {
    for await (const _ of pieces);
  };
  await world.chatbot.answer(world.session, deliver, { images: () => Array(4).fill(PICTURE) });
  const { prompt } = world.model.asked[0] ?? {};
  expect(prompt?.images ?? []).toHaveLength(pictures);
  expect(prompt?.messages.at(-1)?.content).toBe('Ada: what is on them?');
});

it('a summary is made no longer than a small window takes', async () => {
  const summarizer = scriptedModel((_, { maxTokens }) => 'fact. '.repeat(maxTokens / 3));
  const world = await openChatbot({ model: scriptedModel(() => 'ok', { contextWindow: 4_096 }), summarizer });
  onTestFinished(() => world.close());
  const limits = { max_messages: 6, keep_messages: 2, max_summary_tokens: 2_000 };
  await world.chatbot.setStrategy(world.session, world.session.id, 'summary-buffer', limits);
  for (let i = 0; i < 5; i += 1) await world.say(`fact ${i} ${'x'.repeat(400)}`);
  await world.chatbot.folded(2_000);
  await world.say('what do you know?');
  expect(summarizer.asked[0]?.call.maxTokens).toBeLessThan(1_100);
  expect(world.model.asked.at(-1)?.prompt.system).toContain('fact. fact.');
});

it('a prompt refused as too long reduces the window for an hour, not below a quarter', async () => {
  let refuse = true;
  const model = scriptedModel(() => (refuse ? new ModelError('context-overflow', 'too long') : 'ok'));
  const world = await openChatbot({ model });
  onTestFinished(() => world.close());
  const window = async () => (await world.chatbot.report(world.session)).contextWindow;
  for (let i = 0; i < 5; i += 1) await world.say('hello');
  expect(await window()).toBe(32_000);
  refuse = false;
  world.time.now += 3_600_000;
  expect(await window()).toBe(128_000);
});
