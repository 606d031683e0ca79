import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { SessionMessageHistory } from '../../src/langchain/index.js';
import { openStore } from '../../src/storage/open.js';
import { createModelStore } from '../support/model-store.js';
import { chatHistoryCases } from './conformance.js';

const stores: [string, () => Promise<Store>][] = [
  ['SQLite', () => openStore(':memory:')],
  ['the model store', async () => createModelStore()],
];

describe.each(stores)('SessionMessageHistory over %s passes the suite for chat histories', (_, open) => {
  it.each(chatHistoryCases)('$name', async ({ run }) => {
    const store = await open();
    await run((sessionId) => new SessionMessageHistory({ store, sessionId }));
    await store.close();
  });
});

describe('the suite for chat histories', () => {
  it("finds what LangChain's own history in memory does not promise", async () => {
    const broken: string[] = [];
    for (const { name, run } of chatHistoryCases) {
      const sessions = new Map<string, InMemoryChatMessageHistory>();
      const create = (id: string) => sessions.get(id) ?? sessions.set(id, new InMemoryChatMessageHistory()).get(id)!;
      await run(create).catch(() => broken.push(name));
    }
    expect(broken).toEqual([
      'adding through two handles at once loses nothing and tears no pair apart',
      'ids and names come back, and no two messages share an id',
      'a message that is added again under its id is stored once',
      'lists and messages given out or taken in are copies',
    ]);
  });
});

describe('SessionMessageHistory', () => {
  async function history(sessionId = 'ada') {
    const store = await openStore(':memory:');
    return { store, history: new SessionMessageHistory({ store, sessionId, clock: () => 1_000 }) };
  }

  it('keeps the text of blocks, marks pictures and files, and leaves reasoning out', async () => {
    const { history: ada } = await history();
    await ada.addMessages([
      new HumanMessage({
        content: [
          { type: 'text', text: 'what is this? ' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      }),
      new AIMessage({
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'a cat' },
        ],
      }),
    ]);
    expect((await ada.getMessages()).map(({ content }) => content)).toEqual(['what is this? [image]', 'a cat']);
  });

  it('takes generic chat messages by their role', async () => {
    const { history: ada } = await history();
    await ada.addMessages([
      new ChatMessage({ role: 'user', content: 'hi' }),
      new ChatMessage({ role: 'assistant', content: 'yes' }),
    ]);
    expect((await ada.getMessages()).map((message) => message.getType())).toEqual(['human', 'ai']);
  });

  it.each([
    ['a persona', new SystemMessage('be brief'), /`system` message; put it into the prompt instead, as in `ChatPrompt/],
    ['a tool result', new ToolMessage({ content: '4', tool_call_id: 'c' }), /not a tool result; save the final answer/],
    [
      'a tool call',
      new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'add', args: {} }] }),
      /not a tool call/,
    ],
  ])(
    'refuses %s in a sentence that names the remedy, and stores nothing of its batch',
    async (_, message, sentence) => {
      const { history: ada } = await history();
      await expect(ada.addMessages([new HumanMessage('hi'), message])).rejects.toThrow(sentence);
      expect(await ada.getMessages()).toEqual([]);
    },
  );

  it('gives every row the whole of what the store asks for', async () => {
    const { store, history: ada } = await history();
    await ada.addMessages([new HumanMessage({ content: 'hi', name: 'Ada' }), new AIMessage('yes')]);
    const { messages } = await store.loadHistory('ada', { summary: false });
    expect(
      messages.map(({ authorId, authorName, createdAt, state }) => [authorId, authorName, createdAt, state]),
    ).toEqual([
      ['langchain:Ada', 'Ada', 1_000, 'answered'],
      ['langchain:assistant', '', 1_000, 'answered'],
    ]);
  });

  it('shows talk of other platforms, with unique ids even where an answer has its question’s', async () => {
    const { store, history: ada } = await history('terminal:ada');
    await store.openSession({ id: 'terminal:ada', parentId: null, serverId: 'terminal' });
    const said = { sessionId: 'terminal:ada', platformId: 'm1', quote: null, createdAt: 1, state: 'answered' } as const;
    await store.append({ ...said, role: 'user', authorId: '7', authorName: 'Ada', text: 'hi' });
    await store.append({ ...said, role: 'assistant', authorId: 'keepsake', authorName: '', text: 'yes' });
    await ada.addUserMessage('more');
    const messages = await ada.getMessages();
    expect(messages.map(({ text, name }) => [text, name])).toEqual([
      ['hi', 'Ada'],
      ['yes', undefined],
      ['more', undefined],
    ]);
    expect(messages.slice(0, 2).map(({ id }) => id)).toEqual(['m1', 'm1-answer']);
    expect(await store.findSession('terminal:ada')).toEqual({
      id: 'terminal:ada',
      parentId: null,
      serverId: 'terminal',
    });
  });

  it('erases summaries with the messages when it is cleared', async () => {
    const { store, history: ada } = await history();
    await ada.addUserMessage('hi');
    const { epoch, revision, messages } = await store.loadHistory('ada', { summary: true });
    const seq = messages[0]!.seq;
    const written = { text: 'Ada greets.', tokens: 4, encoding: 'o200k_base', model: 'm', createdAt: 1 };
    const span = { sessionId: 'ada', fromSeq: seq, throughSeq: seq, fromAt: 1, throughAt: 1 };
    const check = { epoch, revision, previousId: null, dropCovered: false };
    expect(await store.saveSummary({ ...written, ...span }, check)).toBe(true);
    await ada.clear();
    expect(await store.sessionFacts('ada')).toMatchObject({ messages: 0, summaries: [] });
  });

  it.each([undefined, '', 7])('refuses %j as a session id', async (sessionId) => {
    const store = await openStore(':memory:');
    expect(() => new SessionMessageHistory({ store, sessionId: sessionId as string })).toThrow(/needs a `sessionId`/);
  });
});
