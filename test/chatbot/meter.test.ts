import { expect, it, onTestFinished } from 'vitest';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import { ModelError } from '../../src/conversation/errors.js';
import type { Meter } from '../../src/conversation/meter.js';
import { withMetrics } from '../../src/llm/breaker.js';
import { scriptedModel } from '../support/scripted-model.js';
import { putOnBench } from './bench.js';

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

async function aMeasuredBot(model = scriptedModel(() => 'an answer')) {
  const { meter, recorded } = aRecordingMeter();
  const bench = await putOnBench({ summarizer: scriptedModel(() => 'They spoke.') });
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
  return { bot, bench, recorded, say };
}

it('a turn is counted by its outcome, its parts timed and its tokens counted', async () => {
  const usage = { input: 12, output: 3 };
  const { say, recorded } = await aMeasuredBot(scriptedModel(() => 'yes', { completion: { finish: 'stop', usage } }));
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
  const { say, recorded } = await aMeasuredBot(scriptedModel(() => new ModelError('unreachable', 'No answer came.')));
  await say();
  expect(recorded).toContain('turns failed 1');
  expect(recorded.some((line) => line.startsWith('delivery'))).toBe(false);
});

it('folds are counted by their outcome', async () => {
  const { bot, bench, say, recorded } = await aMeasuredBot();
  await bot.setStrategy(bench.session, bench.session.id, 'summary', {});
  await say();
  await bot.folded(5_000);
  expect(recorded.filter((line) => line.startsWith('folds'))).toEqual(['folds done 1']);
});

it('folds that fail are counted too', async () => {
  const { bench, recorded } = await aMeasuredBot();
  const { meter } = aRecordingMeter();
  const bot = new Chatbot({
    ...bench.parts,
    meter: { ...meter, count: (name, labels) => void recorded.push(`${name} ${Object.values(labels)[0]}`) },
    summaryModel: scriptedModel(() => new ModelError('unreachable', 'No answer came.')),
  });
  onTestFinished(() => bot.close(0));
  await bench.say('hello');
  await bot.setStrategy(bench.session, bench.session.id, 'summary', {});
  await bot.folded(5_000);
  expect(recorded).toContain('folds failed');
});
