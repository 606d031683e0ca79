import assert from 'node:assert/strict';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type ChatHistoryCase, transcript } from './case.js';

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
