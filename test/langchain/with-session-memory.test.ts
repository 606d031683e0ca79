import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { type Runnable, RunnableLambda } from '@langchain/core/runnables';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import { modelByName, withSessionMemory } from '../../src/langchain/index.js';
import { gate } from '../support/gate.js';
import { scriptedModel } from '../support/scripted-model.js';
import { call, echo, lines, openMemory, talk } from './memory.js';

const PROMPT = ChatPromptTemplate.fromMessages<{ question: string }>([
  ['system', 'You are terse.'],
  new MessagesPlaceholder('history'),
  ['human', '{question}'],
]);
const KEYS = { inputMessagesKey: 'question', historyMessagesKey: 'history' };

describe('a runnable with session memory', () => {
  it('hears what was said before in its session, and nothing of another', async () => {
    const { memory } = await openMemory();
    const { received, runnable } = echo();
    const chain = withSessionMemory(runnable, memory);
    await chain.invoke('hello', call('ada'));
    await chain.invoke('good bye', call('ada'));
    await chain.invoke('hello', call('ben'));
    expect(received).toEqual([['human: hello'], ['human: hello', 'ai: a: hello', 'human: good bye'], ['human: hello']]);
  });

  it.each<[string, string | BaseMessage | BaseMessage[]]>([
    ['a text', 'hello'],
    ['a message', new HumanMessage('hello')],
    ['a list of messages', [new HumanMessage('hello')]],
    ['a list with a persona, which is not stored', [new SystemMessage('be brief'), new HumanMessage('hello')]],
  ])('takes %s', async (_, input) => {
    const { memory } = await openMemory();
    await withSessionMemory(echo().runnable, memory).invoke(input, call('ada'));
    expect(lines(await memory.history('ada').getMessages())).toEqual(['human: hello', 'ai: a: hello']);
  });

  it('works around a prompt, a chat model and a parser, as a member of a sequence', async () => {
    const { memory } = await openMemory();
    const model = new FakeListChatModel({ responses: ['one', 'two'] });
    const chain = withSessionMemory(PROMPT.pipe(model).pipe(new StringOutputParser()), memory, KEYS);
    const shout = chain.pipe(RunnableLambda.from((text: string) => text.toUpperCase()));
    expect(await shout.invoke({ question: 'first?' }, call('ada'))).toBe('ONE');
    expect(await shout.invoke({ question: 'second?' }, call('ada'))).toBe('TWO');
    const stored = lines(await memory.history('ada').getMessages());
    expect(stored).toEqual(['human: first?', 'ai: one', 'human: second?', 'ai: two']);
  });

  it('works around a bare chat model', async () => {
    const { memory } = await openMemory();
    const chain = withSessionMemory(new FakeListChatModel({ responses: ['one', 'two'] }), memory);
    for (const question of ['first?', 'second?']) await chain.invoke(question, call('ada'));
    const stored = lines(await memory.history('ada').getMessages());
    expect(stored).toEqual(['human: first?', 'ai: one', 'human: second?', 'ai: two']);
  });

  it('passes the model of each call on, so that a chain can choose it', async () => {
    const { memory } = await openMemory();
    const models = modelByName({ small: say('from small'), large: say('from large') }, 'small');
    const chain = withSessionMemory(PROMPT.pipe(models), memory, KEYS);
    const asked = (model?: string) =>
      chain.invoke({ question: 'who?' }, call('ada', model === undefined ? {} : { model }));
    expect([(await asked()).text, (await asked('large')).text]).toEqual(['from small', 'from large']);
    await expect(asked('huge')).rejects.toThrow(
      '`configurable.model` names no model of this chain; it is one of `small`, `large`.',
    );
  });
});

describe('streams and parallel calls', () => {
  it('gives pieces as they come, and saves the whole once at the end', async () => {
    const { memory } = await openMemory();
    const go = gate();
    const slow = RunnableLambda.from<BaseMessage[], BaseMessage>(async function* () {
      yield new AIMessageChunk('good ');
      await go.opened;
      yield new AIMessageChunk('day');
    } as never);
    const stream = await withSessionMemory(slow as Runnable<BaseMessage[], BaseMessage>, memory).stream(
      'hi',
      call('ada'),
    );
    const pieces = stream[Symbol.asyncIterator]();
    expect((await pieces.next()).value.text).toBe('good ');
    expect(await memory.history('ada').getMessages()).toEqual([]);
    go.open();
    expect((await pieces.next()).value.text).toBe('day');
    expect((await pieces.next()).done).toBe(true);
    expect(lines(await memory.history('ada').getMessages())).toEqual(['human: hi', 'ai: good day']);
  });

  it('keeps every question and its own answer of calls that run at once in one session', async () => {
    const { memory } = await openMemory();
    await memory.history('ada').addMessages(talk(1));
    const chain = withSessionMemory(echo().runnable, memory);
    const strategies = ['buffer', 'summary', 'token-buffer', 'summary-buffer'];
    const configs = Array.from({ length: 12 }, (_, n) => call('ada', { strategy: strategies[n % 4] }));
    await Promise.all(configs.map((config, n) => chain.invoke(`q${n}`, config)));
    await memory.settled(10_000);
    const stored = lines(await memory.history('ada').getMessages()).slice(2);
    const pairs = stored.flatMap((line, at) => (at % 2 === 0 ? [`${line} | ${stored[at + 1]}`] : []));
    expect(pairs.sort()).toEqual(configs.map((_, n) => `human: q${n} | ai: a: q${n}`).sort());
  });

  it('keeps sessions apart that run at once through one config object', async () => {
    const { memory } = await openMemory();
    const { received, runnable } = echo();
    const chain = withSessionMemory(runnable, memory);
    const shared = call('');
    await Promise.all(
      ['ada', 'ben', 'cleo'].map((sessionId) => {
        shared.configurable.sessionId = sessionId;
        return chain.invoke(`I am ${sessionId}`, { ...shared, configurable: { ...shared.configurable } });
      }),
    );
    await chain.batch(['who am I?', 'who am I?'], [call('ada'), call('cleo')]);
    expect(received.slice(3)).toEqual([
      ['human: I am ada', 'ai: a: I am ada', 'human: who am I?'],
      ['human: I am cleo', 'ai: a: I am cleo', 'human: who am I?'],
    ]);
  });
});

describe('folds run behind the answers', () => {
  it('an answer does not wait for a summarizer that hangs', async () => {
    const never = new Promise<string>(() => {});
    const summarizer = scriptedModel(() => never);
    const { memory } = await openMemory({ summaryModel: summarizer });
    const chain = withSessionMemory(echo().runnable, memory);
    for (const n of [1, 2, 3]) {
      expect((await chain.invoke(`q${n}`, call('ada', { strategy: 'summary' }))).text).toBe(`a: q${n}`);
    }
    expect(await memory.history('ada').getMessages()).toHaveLength(6);
  });

  it('a summarizer that fails changes nothing, and is left in peace for a while', async () => {
    const summarizer = scriptedModel(() => new ModelError('server-error', 'down'));
    const { memory, store } = await openMemory({ summaryModel: summarizer });
    const { received, runnable } = echo();
    const chain = withSessionMemory(runnable, memory);
    for (const n of [1, 2, 3]) {
      await chain.invoke(`q${n}`, call('ada', { strategy: 'summary' }));
      await memory.settled(10_000);
    }
    expect(summarizer.asked).toHaveLength(1);
    expect(received[2]).toEqual(['human: q1', 'ai: a: q1', 'human: q2', 'ai: a: q2', 'human: q3']);
    expect((await store.sessionFacts('ada')).summaries).toEqual([]);
    await memory.close(10_000);
  });

  it('a summary does not leak into the events of the call that made it due', async () => {
    const inner = new FakeListChatModel({ responses: ['the summary'] });
    const summarizer = scriptedModel(async (prompt) => (await inner.invoke(prompt.system)).text);
    const { memory } = await openMemory({ summaryModel: summarizer });
    const chain = withSessionMemory(new FakeListChatModel({ responses: ['the answer'] }), memory);
    const starts: string[] = [];
    for await (const { event, data } of chain.streamEvents('hi', {
      ...call('ada', { strategy: 'summary' }),
      version: 'v2',
    })) {
      if (event === 'on_chat_model_start') starts.push(JSON.stringify(data.input));
      if (event === 'on_chain_end') await memory.settled(10_000);
    }
    expect(summarizer.asked).toHaveLength(1);
    expect(starts).toHaveLength(1);
  });

  it('messages that the fold has covered go at the sweep, once the retention is over', async () => {
    let now = 0;
    const { memory } = await openMemory({ clock: () => now, retentionDays: 1 });
    await withSessionMemory(echo().runnable, memory).invoke('hi', call('ada', { strategy: 'summary' }));
    await memory.settled(10_000);
    expect(await memory.sweep()).toBe(0);
    now = 2 * 86_400_000;
    expect(await memory.sweep()).toBe(2);
  });
});

function say(text: string) {
  return RunnableLambda.from<unknown, AIMessage>(() => new AIMessage(text));
}
