import assert from 'node:assert/strict';
import { HumanMessage } from '@langchain/core/messages';
import { type ChatHistoryCase, transcript } from './case.js';

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
