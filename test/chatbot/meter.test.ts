import { expect, it, onTestFinished } from 'vitest';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import { ModelError } from '../../src/conversation/errors.js';
import type { Meter } from '../../src/conversation/meter.js';
import { withMetrics } from '../../src/llm/breaker.js';
import { scriptedModel } from '../support/scripted-model.js';
import { putOnBench } from './bench.js';

/** A meter that writes down what it is told. */
function aRecordingMeter(): { meter: Meter; told: string[] } {
  const told: string[] = [];
  const meter: Meter = {
    count: (name, labels, by = 1) => void told.push(`${name} ${Object.values(labels)[0]} ${by}`),
    time: (part, ms) => void told.push(`${part} ${ms >= 0}`),
    queued: (turns) => void told.push(`queued ${turns}`),
  };
  return { meter, told };
}

async function aMeasuredBot(model = scriptedModel(() => 'an answer')) {
  const { meter, told } = aRecordingMeter();
  const bench = await putOnBench({ summariser: scriptedModel(() => 'They spoke.') });
  onTestFinished(() => bench.close());
  const bot = new Chatbot({ ...bench.parts, meter, modelNamed: () => withMetrics(model, meter) });
  onTestFinished(() => bot.close(1_000));
  let said = 0;
  const say = async () => {
    said += 1;
    const by = { authorId: 'ada', authorName: 'Ada', quote: null, addressed: true, createdAt: bench.time.now };
    await bot.receive({ session: bench.session, platformId: String(said), text: 'hello', ...by });
    return bot.answer(bench.session, async (pieces) => {
      for await (const _ of pieces);
    });
  };
  return { bot, bench, told, say };
}

it('a turn is counted by its outcome, its parts timed and its tokens counted', async () => {
  const usage = { input: 12, output: 3 };
  const { say, told } = await aMeasuredBot(scriptedModel(() => 'yes', { completion: { finish: 'stop', usage } }));
  await say();
  expect(told).toEqual([
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
  const { say, told } = await aMeasuredBot(scriptedModel(() => new ModelError('unreachable', 'No answer came.')));
  await say();
  expect(told).toContain('turns failed 1');
  expect(told.some((line) => line.startsWith('delivery'))).toBe(false);
});

it('folds are counted by their outcome', async () => {
  const { bot, bench, say, told } = await aMeasuredBot();
  await bot.setStrategy(bench.session, bench.session.id, 'summary', {});
  await say();
  await bot.folded(5_000);
  expect(told.filter((line) => line.startsWith('folds'))).toEqual(['folds done 1']);
});

it('folds that fail are counted too', async () => {
  const { bench, told } = await aMeasuredBot();
  const { meter } = aRecordingMeter();
  const bot = new Chatbot({
    ...bench.parts,
    meter: { ...meter, count: (name, labels) => void told.push(`${name} ${Object.values(labels)[0]}`) },
    summaryModel: scriptedModel(() => new ModelError('unreachable', 'No answer came.')),
  });
  onTestFinished(() => bot.close(0));
  await bench.say('hello');
  await bot.setStrategy(bench.session, bench.session.id, 'summary', {});
  await bot.folded(5_000);
  expect(told).toContain('folds failed');
});
