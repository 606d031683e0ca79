import { expect, it, onTestFinished } from 'vitest';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import { ModelError } from '../../src/conversation/errors.js';
import type { Meter } from '../../src/conversation/meter.js';
import { withMetrics } from '../../src/llm/breaker.js';
import { openChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

/** A meter that records its calls. */
function aRecordingMeter(): { meter: Meter; recorded: string[] } {
  const recorded: string[] = [];
  const meter: Meter = {
    count: (name, labels, by = 1) => void recorded.push(`${name} ${Object.values(labels)[0]} ${by}`),
    time: (part, ms) => void recorded.push(`${part} ${ms >= 0}`),
    queued: (turns) => void recorded.push(`queued ${turns}`),
  };
  return { meter, recorded };
}

async function openMeasured(model = scriptedModel(() => 'an answer')) {
  const { meter, recorded } = aRecordingMeter();
  const world = await openChatbot({ summarizer: scriptedModel(() => 'They spoke.') });
  onTestFinished(() => world.close());
  const chatbot = new Chatbot({ ...world.deps, meter, modelNamed: () => withMetrics(model, meter) });
  onTestFinished(() => chatbot.close(1_000));
  let said = 0;
  const say = async () => {
    said += 1;
    const by = { authorId: 'ada', authorName: 'Ada', quote: null, addressed: true, createdAt: world.time.now };
    await chatbot.receive({ session: world.session, platformId: String(said), text: 'hello', ...by });
    return chatbot.answer(world.session, async (pieces) => {
      for await (const _ of pieces);
    });
  };
  return { chatbot, world, recorded, say };
}

it('a turn is counted by its outcome, its parts timed and its tokens counted', async () => {
  const usage = { input: 12, output: 3 };
  const { say, recorded } = await openMeasured(scriptedModel(() => 'yes', { completion: { finish: 'stop', usage } }));
  await say();
  expect(recorded).toEqual([
    'queued 1',
    'recall true',
    'first-token true',
    'model true',
    'tokens input 12',
    'tokens output 3',
    'delivery true',
    'turns answered 1',
    'queued 0',
  ]);
});

it('a turn that fails is counted as such, and no time of a delivery is', async () => {
  const { say, recorded } = await openMeasured(scriptedModel(() => new ModelError('unreachable', 'No answer came.')));
  await say();
  expect(recorded).toContain('turns failed 1');
  expect(recorded.some((line) => line.startsWith('delivery'))).toBe(false);
});

it('folds are counted by their outcome', async () => {
  const { chatbot, world, say, recorded } = await openMeasured();
  await chatbot.setStrategy(world.session, world.session.id, 'summary', {});
  await say();
  await chatbot.folded(5_000);
  expect(recorded.filter((line) => line.startsWith('folds'))).toEqual(['folds done 1']);
});

it('folds that fail are counted too', async () => {
  const { world, recorded } = await openMeasured();
  const { meter } = aRecordingMeter();
  const chatbot = new Chatbot({
    ...world.deps,
    meter: { ...meter, count: (name, labels) => void recorded.push(`${name} ${Object.values(labels)[0]}`) },
    summaryModel: scriptedModel(() => new ModelError('unreachable', 'No answer came.')),
  });
  onTestFinished(() => chatbot.close(0));
  await world.say('hello');
  await chatbot.setStrategy(world.session, world.session.id, 'summary', {});
  await chatbot.folded(5_000);
  expect(recorded).toContain('folds failed');
});
