import assert from 'node:assert/strict';
import type { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';

/** Opens a history of a session; two of one id are two handles of the same session in the same store. */
export type CreateChatHistory = (sessionId: string) => BaseListChatMessageHistory | Promise<BaseListChatMessageHistory>;

/** One promise of a chat history; `run` rejects with an assertion when it is not kept. Each run needs an empty store. */
export type ChatHistoryCase = { name: string; run(create: CreateChatHistory): Promise<void> };

/** What is stored: kind and text of each message, oldest first. */
export async function transcript(history: BaseListChatMessageHistory): Promise<string[]> {
  return (await history.getMessages()).map((message) => `${message.getType()}: ${message.text}`);
}

const EXACT = [
  '',
  ' leading, trailing and  double spaces \n\n\ttabs and lines\r\n',
  '日本語 한국어 हिन्दी العربية',
  '👩‍👩‍👧‍👦 🇩🇪 e\u0301',
  `$& $1 $$ {question} {{x}} %s \\ ' " \` ;--`,
  '<|endoftext|> <@123> https://example.org/?a=b&c#d',
  'x'.repeat(100_000),
];

/** What becomes of texts, ids and names, and that nothing given out leads back into the store. */
export const contentCases: readonly ChatHistoryCase[] = [
  {
    name: 'every text comes back as it was, on both sides',
    async run(create) {
      const history = await create('ada');
      await history.addMessages(EXACT.flatMap((text) => [new HumanMessage(text), new AIMessage(text)]));
      const texts = (await (await create('ada')).getMessages()).map((message) => message.text);
      assert.deepEqual(
        texts,
        EXACT.flatMap((text) => [text, text]),
      );
    },
  },
  {
    name: 'a NUL or half a surrogate pair costs at most itself',
    async run(create) {
      const history = await create('ada');
      await history.addMessage(new HumanMessage('before\0after'));
      await history.addMessage(new HumanMessage('before\ud83dafter'));
      for (const line of await transcript(history)) assert.match(line, /^human: before.?after$/su);
    },
  },
  {
    name: 'ids and names come back, and no two messages share an id',
    async run(create) {
      const history = await create('ada');
      await history.addMessages([
        new HumanMessage({ content: 'hello', id: 'q1', name: 'Ada' }),
        new AIMessage({ content: 'hi', id: 'a1', name: 'Echo' }),
        new HumanMessage('again'),
        new AIMessage('hi again'),
      ]);
      const [question, answer, ...rest] = await history.getMessages();
      assert.deepEqual([question?.id, question?.name, answer?.id, answer?.name], ['q1', 'Ada', 'a1', 'Echo']);
      const ids = [question, answer, ...rest].map((message) => message?.id);
      assert.equal(new Set(ids).size, 4);
    },
  },
  {
    name: 'a message that is added again under its id is stored once',
    async run(create) {
      const history = await create('ada');
      const pair = () => [new HumanMessage({ content: 'q', id: 'q1' }), new AIMessage({ content: 'a', id: 'a1' })];
      await history.addMessages(pair());
      await history.addMessages(pair());
      assert.deepEqual(await transcript(history), ['human: q', 'ai: a']);
    },
  },
  {
    name: 'answers that share an id are all kept, since endpoints give such ids',
    async run(create) {
      const history = await create('ada');
      for (const n of [1, 2]) {
        await history.addMessages([new HumanMessage(`q${n}`), new AIMessage({ content: `a${n}`, id: 'chatcmpl-0' })]);
      }
      assert.deepEqual(await transcript(history), ['human: q1', 'ai: a1', 'human: q2', 'ai: a2']);
    },
  },
  {
    name: 'lists and messages given out or taken in are copies',
    async run(create) {
      const history = await create('ada');
      const mine = new HumanMessage('hello');
      await history.addMessage(mine);
      mine.content = 'changed after adding';
      const given = await history.getMessages();
      for (const message of given) message.content = 'changed after reading';
      given.push(new HumanMessage('pushed'));
      assert.deepEqual(await transcript(history), ['human: hello']);
    },
  },
];

/** Order, completeness and atomicity of what is added. */
export const orderCases: readonly ChatHistoryCase[] = [
  {
    name: 'a session that nobody has written to is empty',
    async run(create) {
      assert.deepEqual(await transcript(await create('ada')), []);
    },
  },
  {
    name: 'messages come back in the order in which they were added',
    async run(create) {
      const history = await create('ada');
      const texts = Array.from({ length: 40 }, (_, n) => `message ${n}`);
      for (const text of texts) await history.addMessage(new HumanMessage(text));
      assert.deepEqual(
        await transcript(history),
        texts.map((text) => `human: ${text}`),
      );
    },
  },
  {
    name: 'messages added together come back as if they had been added one by one',
    async run(create) {
      const [one, together] = [await create('one'), await create('together')];
      const messages = () => [new HumanMessage('q1'), new AIMessage('a1'), new HumanMessage('q2'), new AIMessage('a2')];
      for (const message of messages()) await one.addMessage(message);
      await together.addMessages(messages());
      assert.deepEqual(await transcript(together), ['human: q1', 'ai: a1', 'human: q2', 'ai: a2']);
      assert.deepEqual(await transcript(one), await transcript(together));
    },
  },
  {
    name: 'texts alone can be added for both sides',
    async run(create) {
      const history = await create('ada');
      await history.addUserMessage('hello');
      await history.addAIMessage('good day');
      await history.addMessages([]);
      assert.deepEqual(await transcript(history), ['human: hello', 'ai: good day']);
    },
  },
  {
    name: 'messages added together are stored all or none',
    async run(create) {
      const history = await create('ada');
      const result = new ToolMessage({ content: '4', tool_call_id: 'call' });
      const added = history.addMessages([new HumanMessage('two and two?'), result, new AIMessage('four')]);
      const kept = await added.then(
        () => 3,
        () => 0,
      );
      assert.equal((await history.getMessages()).length, kept);
    },
  },
  {
    name: 'adding through two handles at once loses nothing and tears no pair apart',
    async run(create) {
      const handles = [await create('ada'), await create('ada')];
      const adding = Array.from({ length: 20 }, (_, n) =>
        handles[n % 2]?.addMessages([new HumanMessage(`q${n}`), new AIMessage(`a${n}`)]),
      );
      await Promise.all(adding);
      const lines = await transcript(await create('ada'));
      const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [`${line} ${lines[at + 1]}`] : []));
      assert.deepEqual(pairs.sort(), Array.from({ length: 20 }, (_, n) => `human: q${n} ai: a${n}`).sort());
    },
  },
];

const NEIGHBOURS = ['ada', 'Ada', 'ada ', 'ada%', 'a_a', "ada'--", 'terminal:ada', '艾达'];

/** That sessions are kept apart, outlive their handles and can be cleared. */
export const sessionCases: readonly ChatHistoryCase[] = [
  {
    name: 'sessions see nothing of each other, however alike their ids',
    async run(create) {
      for (const id of NEIGHBOURS) await (await create(id)).addUserMessage(`of ${id}`);
      for (const id of NEIGHBOURS) assert.deepEqual(await transcript(await create(id)), [`human: of ${id}`]);
    },
  },
  {
    name: 'the same message id may occur in two sessions',
    async run(create) {
      for (const id of ['ada', 'ben']) await (await create(id)).addMessage(new HumanMessage({ content: id, id: '1' }));
      assert.deepEqual(await transcript(await create('ben')), ['human: ben']);
    },
  },
  {
    name: 'a new handle of a session finds what an earlier one wrote',
    async run(create) {
      await (await create('ada')).addUserMessage('hello');
      assert.deepEqual(await transcript(await create('ada')), ['human: hello']);
    },
  },
  {
    name: 'clearing empties one session and leaves the others',
    async run(create) {
      const [ada, ben] = [await create('ada'), await create('ben')];
      await ada.addUserMessage('forget me');
      await ben.addUserMessage('keep me');
      await ada.clear();
      assert.deepEqual([await transcript(ada), await transcript(ben)], [[], ['human: keep me']]);
    },
  },
  {
    name: 'a cleared session can be written to again, under the same ids',
    async run(create) {
      const history = await create('ada');
      await history.clear();
      const again = () => new HumanMessage({ content: 'hello', id: '1' });
      await history.addMessage(again());
      await history.clear();
      await history.addMessage(again());
      assert.deepEqual(await transcript(history), ['human: hello']);
    },
  },
];

/**
 * What a persistent chat history must hold to, whatever store lies behind it: cases for any test runner, as in
 * `for (const { name, run } of chatHistoryCases) it(name, () => run((id) => new MyHistory(id)))`.
 */
export const chatHistoryCases: readonly ChatHistoryCase[] = [...orderCases, ...contentCases, ...sessionCases];
