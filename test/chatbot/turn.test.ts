import { afterEach, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

let world: TestChatbot;
afterEach(() => world.close());

describe('a turn', () => {
  it('sends one system text, then alternating roles that end with the question', async () => {
    world = await openChatbot();
    await world.say('hello');
    await world.say('how are you?');
    expect(world.model.asked[1]?.prompt.messages).toEqual([
      { role: 'user', content: 'Ada: hello' },
      { role: 'assistant', content: 'answer 1' },
      { role: 'user', content: 'Ada: how are you?' },
    ]);
  });

  it('takes a message in once, however often it comes', async () => {
    world = await openChatbot();
    await world.say('hello', { platformId: 'same' });
    const again = await world.say('hello', { platformId: 'same' });
    expect(again.outcome).toEqual({ kind: 'nothing' });
    expect(world.model.asked).toHaveLength(1);
  });

  it('merges what waits in a session into one turn with its speakers', async () => {
    world = await openChatbot();
    const message = { session: world.session, quote: null, createdAt: world.time.now, addressed: true };
    await world.chatbot.receive({ ...message, platformId: 'x', authorId: 'bob', authorName: 'Bob', text: 'first' });
    await world.say('second');
    expect(world.model.asked[0]?.prompt.messages).toEqual([{ role: 'user', content: 'Bob: first\nAda: second' }]);
  });

  it('remembers the question of a turn that failed', async () => {
    const model = scriptedModel((_, __, n) => (n === 1 ? new ModelError('unreachable', 'The model is away.') : 'hi'));
    world = await openChatbot({ model });
    const failed = await world.say('my name is Ada');
    expect(failed.outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable' } });
    await world.say('who am I?');
    expect(model.asked[1]?.prompt.messages.at(-1)?.content).toBe('Ada: my name is Ada\nAda: who am I?');
  });

  it('does not remember half an answer', async () => {
    const broken = async function* () {
      yield 'half';
      throw new ModelError('cut-off', 'The answer broke off.');
    };
    const model = scriptedModel(() => 'whole');
    const stream = model.stream;
    let n = 0;
    model.stream = (prompt, call) => {
      n += 1;
      return n === 1 ? (broken() as ReturnType<typeof stream>) : stream(prompt, call);
    };
    world = await openChatbot({ model });
    const { text, outcome } = await world.say('hello');
    expect([text, outcome.kind]).toEqual(['half', 'failed']);
    expect((await world.chatbot.report(world.session)).stored).toBe(1);
  });

  it('shrinks a prompt that the endpoint finds too long, twice at most', async () => {
    const model = scriptedModel((_, __, n) =>
      n <= 2 ? new ModelError('context-overflow', 'too long', { limit: 4_000 - n * 1_000 }) : 'ok',
    );
    world = await openChatbot({ model });
    const { outcome } = await world.say('x'.repeat(5_000));
    expect(outcome).toEqual({ kind: 'answered', finish: 'stop' });
    const lengths = model.asked.map(({ prompt }) => prompt.messages[0]?.content.length ?? 0);
    expect(lengths[0]).toBe(5_005);
    expect(lengths[1]).toBeLessThan(4_000);
    expect(lengths[2]).toBeLessThan(lengths[1] ?? 0);
    expect(model.asked[2]?.prompt.messages[0]?.content).toContain('characters left out');
  });

  it('gives up with the reason when shrinking does not help', async () => {
    world = await openChatbot({ model: scriptedModel(() => new ModelError('context-overflow', 'too long')) });
    const { outcome } = await world.say('hello');
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'context-overflow' } });
    expect(world.model.asked).toHaveLength(3);
  });

  it('drops the answer when the session is forgotten while it is written', async () => {
    const model = scriptedModel(async () => {
      await world.chatbot.forget(world.session, { what: 'session' });
      return 'too late';
    });
    world = await openChatbot({ model });
    expect((await world.say('hello')).outcome).toEqual({ kind: 'forgotten' });
    expect((await world.chatbot.report(world.session)).stored).toBe(0);
  });

  it('drops the answer when its question is erased while it is written', async () => {
    const model = scriptedModel(async () => {
      await world.chatbot.erase(world.session, ['m1']);
      return 'too late';
    });
    world = await openChatbot({ model });
    expect((await world.say('hello')).outcome).toEqual({ kind: 'forgotten' });
    expect((await world.chatbot.report(world.session)).stored).toBe(0);
  });

  it('keeps the order of turns when a question comes during an answer', async () => {
    const model = scriptedModel(async (_, __, n) => {
      if (n === 1) {
        const late = { session: world.session, quote: null, createdAt: world.time.now, addressed: true };
        await world.chatbot.receive({
          ...late,
          platformId: 'late',
          authorId: 'bob',
          authorName: 'Bob',
          text: 'meanwhile',
        });
      }
      return `answer ${n}`;
    });
    world = await openChatbot({ model });
    await world.say('one');
    await world.chatbot.answer(world.session, async (pieces) => {
      for await (const _ of pieces);
    });
    expect(model.asked[1]?.prompt.messages).toEqual([
      { role: 'user', content: 'Ada: one' },
      { role: 'assistant', content: 'answer 1' },
      { role: 'user', content: 'Bob: meanwhile' },
    ]);
  });

  it('refuses an empty question', async () => {
    world = await openChatbot();
    await expect(world.say('  ')).rejects.toMatchObject({ code: 'empty-question' });
  });

  it('keeps what nobody addressed to the bot only where that is set', async () => {
    world = await openChatbot();
    await world.say('chatter', { addressed: false });
    expect((await world.chatbot.report(world.session)).stored).toBe(0);
    await world.chatbot.set('server:terminal', 'listen', 'all');
    await world.say('chatter', { addressed: false });
    await world.say('and now?');
    expect(world.model.asked[0]?.prompt.messages.at(-1)?.content).toBe('Ada: chatter\nAda: and now?');
  });
});
