import { expect, it } from 'vitest';
import { runLangChainExample } from '../../examples/langchain.js';
import { answer, startFakeOpenAI } from '../support/fake-openai/index.js';

it('the example chooses memory and model by call, and sends one system message each time', async () => {
  const endpoint = await startFakeOpenAI({
    respond: (request) => answer(isSummary(request) ? 'Ada has a boat called Mimi.' : `${request.model} says ahoy`),
  });
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runLangChainExample({ baseURL: endpoint.baseUrl, apiKey: 'none', databaseUrl: ':memory:', print });
  await endpoint.close();

  expect(printed.slice(0, 4)).toEqual([
    'everything:      gpt-4o-mini says ahoy',
    'the newest two:  gpt-4o-mini says ahoy',
    'another model:   gpt-4o says ahoy',
    'from a summary:  gpt-4o-mini says ahoy',
  ]);
  expect(printed.slice(4, -1).length).toBeGreaterThan(1);
  expect(printed.at(-1)).toBe('stored messages: 10');
  const answers = endpoint.chats().filter((chat) => !isSummary(chat));
  expect(answers.map(({ messages }) => messages.filter(({ role }) => role === 'system').length)).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(answers.map(({ messages }) => messages.length)).toEqual([2, 4, 6, 2, 4]);
  expect(answers[3]?.messages[0]?.content).toMatch(/^You are a concise companion\..*Ada has a boat called Mimi\./su);
});

/** Whether a request asks for a summary: it carries the talk as a transcript. */
function isSummary({ messages }: { messages: readonly { content: unknown }[] }): boolean {
  return String(messages.at(-1)?.content).includes('<transcript');
}
