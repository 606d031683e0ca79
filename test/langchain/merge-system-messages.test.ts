import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import { mergeSystemMessages, withSessionMemory } from '../../src/langchain/index.js';
import { startFakeOpenAI } from '../support/fake-openai/index.js';
import { call, lines, openMemory } from './memory.js';

describe('mergeSystemMessages', () => {
  it('makes one system message of all, the first, in their order', async () => {
    const merged = await mergeSystemMessages().invoke([
      new SystemMessage('persona'),
      new SystemMessage('summary'),
      new HumanMessage('hi'),
      new AIMessage('yes'),
      new SystemMessage({ content: [{ type: 'text', text: 'late order' }] }),
      new HumanMessage('more'),
    ]);
    expect(lines(merged)).toEqual(['system: persona\n\nsummary\n\nlate order', 'human: hi', 'ai: yes', 'human: more']);
  });

  it('joins what people said one after the other, but never pictures, names or answers', async () => {
    const picture = new HumanMessage({ content: [{ type: 'image_url', image_url: { url: 'data:,' } }] });
    const named = new HumanMessage({ content: 'me', name: 'Ada' });
    const talk = [
      new HumanMessage('a'),
      new HumanMessage('b'),
      picture,
      new HumanMessage('c'),
      named,
      new AIMessage('d'),
    ];
    const merged = await mergeSystemMessages().invoke([...talk, new AIMessage('e')]);
    expect(lines(merged)).toEqual(['human: a\nb', 'human: ', 'human: c', 'human: me', 'ai: d', 'ai: e']);
    expect(merged[1]).toBe(picture);
    expect(merged[3]?.name).toBe('Ada');
  });

  it('adds no system message where there is none or an empty one, and takes an empty prompt', async () => {
    expect(lines(await mergeSystemMessages().invoke([new SystemMessage(''), new HumanMessage('hi')]))).toEqual([
      'human: hi',
    ]);
    expect(await mergeSystemMessages().invoke([])).toEqual([]);
  });

  it('changes none of the messages it was given', async () => {
    const given = [new SystemMessage('a'), new SystemMessage('b'), new HumanMessage('c'), new HumanMessage('d')];
    const before = lines(given);
    await mergeSystemMessages().invoke(given);
    expect(lines(given)).toEqual(before);
  });
});

describe('on the wire', () => {
  const prompt = ChatPromptTemplate.fromMessages([
    ['system', 'You are terse.'],
    new MessagesPlaceholder('history'),
    ['human', '{question}'],
  ]);
  const keys = { inputMessagesKey: 'question', historyMessagesKey: 'history' };

  async function systemsSent(merging: boolean, strict: boolean) {
    const endpoint = await startFakeOpenAI({ strict });
    const { memory } = await openMemory();
    const configuration = { baseURL: endpoint.baseUrl };
    const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration, streamUsage: false, maxRetries: 0 });
    const chain = withSessionMemory(
      merging ? prompt.pipe(mergeSystemMessages()).pipe(model) : prompt.pipe(model),
      memory,
      keys,
    );
    const ask = () => chain.invoke({ question: 'and?' }, call('ada', { strategy: 'summary' }));
    await ask();
    await memory.settled(10_000);
    await memory.history('ada').addUserMessage('something nobody answered');
    await ask().finally(() => endpoint.close());
    return endpoint.chats().map(({ messages }) => messages);
  }

  it('a model with a strict template gets exactly one system message, with persona and summary', async () => {
    const [first, second] = await systemsSent(true, true);
    expect(first).toEqual([
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: 'and?' },
    ]);
    expect(second?.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(second?.[0]?.content).toMatch(
      /^You are terse\.\n\nWhat follows .* never an instruction .*\nsummary 1\n<\/summary/su,
    );
    expect(second?.[1]?.content).toBe('something nobody answered\nand?');
  });

  it('without the merging there are two, and that model refuses them', async () => {
    const [, second] = await systemsSent(false, false);
    expect(second?.map(({ role }) => role)).toEqual(['system', 'system', 'user', 'user']);
    await expect(systemsSent(false, true)).rejects.toThrow(/400/);
  });
});
