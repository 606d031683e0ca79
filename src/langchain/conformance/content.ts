import assert from 'node:assert/strict';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { type ChatHistoryCase, transcript } from './case.js';

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
