import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { ChatOpenAI } from '@langchain/openai';
import {
  createSessionMemory,
  createSummaryModel,
  mergeSystemMessages,
  modelByName,
  type SessionMemory,
  withSessionMemory,
} from '../src/langchain/index.js';
import { createTokenCounter } from '../src/llm/token-counter.js';
import { createLogger } from '../src/logger.js';
import { openStore } from '../src/storage/open.js';

/** Where an OpenAI-like endpoint listens, its key, which database to use, and where the talk is shown. */
export type ExampleOptions = { baseURL: string; apiKey: string; databaseUrl: string; print: (line: string) => void };

const PROMPT = ChatPromptTemplate.fromMessages<{ question: string }>([
  ['system', 'You are a concise companion.'],
  new MessagesPlaceholder('history'),
  ['human', '{question}'],
]);

/** A conversation through LangChain's interfaces: each call chooses how much is remembered, and which model answers. */
export async function runLangChainExample({ baseURL, apiKey, databaseUrl, print }: ExampleOptions): Promise<void> {
  const chat = (model: string) => new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
  const store = await openStore(databaseUrl);
  const counter = createTokenCounter();
  const memory = createSessionMemory({
    store,
    counter,
    summaryModel: createSummaryModel(chat('gpt-4o-mini'), { id: 'gpt-4o-mini', contextWindow: 128_000 }),
    figuresOf: () => ({ contextWindow: 128_000, encoding: 'o200k_base', safety: 0.05 }),
    logger: createLogger('warn'),
  });

  const models = modelByName({ 'gpt-4o-mini': chat('gpt-4o-mini'), 'gpt-4o': chat('gpt-4o') }, 'gpt-4o-mini');
  // The summary is a system message of its own; many models take only one, so it is merged with the prompt's.
  const chain = PROMPT.pipe(mergeSystemMessages()).pipe(models).pipe(new StringOutputParser());
  const remembering = withSessionMemory(chain, memory, {
    inputMessagesKey: 'question',
    historyMessagesKey: 'history',
  });

  await talk(remembering, memory, print);
  await memory.close(60_000);
  await counter.close();
  await store.close();
}

async function talk(chain: ReturnType<typeof withSessionMemory>, memory: SessionMemory, print: (line: string) => void) {
  const ask = (question: string, settings: Record<string, unknown>) =>
    chain.invoke({ question }, { configurable: { sessionId: 'example:ada', ...settings } });

  print(`everything:      ${await ask('My boat is called Mimi.', { strategy: 'buffer' })}`);
  print(`the newest two:  ${await ask('What is my boat called?', { strategy: 'window', k: 2 })}`);
  print(`another model:   ${await ask('And in upper case?', { strategy: 'summary', model: 'gpt-4o' })}`);
  await memory.settled(60_000);
  print(`from a summary:  ${await ask('What do you know of my boat?', { strategy: 'summary' })}`);

  const stream = await chain.stream(
    { question: 'Tell me a story about it.' },
    { configurable: { sessionId: 'example:ada', strategy: 'summary-buffer' } },
  );
  for await (const piece of stream) print(`a piece:         ${piece}`);
  print(`stored messages: ${(await memory.history('example:ada').getMessages()).length}`);
}
