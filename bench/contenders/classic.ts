import {
  BufferMemory,
  BufferWindowMemory,
  ConversationSummaryBufferMemory,
  ConversationSummaryMemory,
  ConversationTokenBufferMemory,
} from '@langchain/classic/memory';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import type { StrategyName } from '#dist/conversation/settings.js';
import { type Contender, OutOfTime } from '../support/measure.js';
import { roughTokens, SUMMARY } from '../support/models.js';
import { createTalk, nextExchange } from '../support/talk.js';
import { FileHistory } from './file-history.js';

/** A file-backed history of so many messages. */
export function fileHistory(path: string, messages: number): FileHistory {
  const talk = createTalk(messages);
  const said = Array.from({ length: messages }, (_, i) =>
    i % 2 === 0 ? new HumanMessage(talk.question()) : new AIMessage(talk.answer()),
  );
  return new FileHistory(path, said);
}

/** The memory of LangChain that a strategy of ours corresponds to, over a file; a turn refuses to go on after `seconds`. */
export function openClassic(name: StrategyName, history: FileHistory, seconds: number): Contender {
  const model = new InstantModel({ responses: [SUMMARY] });
  const memory = createMemory(name, history, model);
  const talk = createTalk(7);
  let next = nextExchange(talk);
  return {
    name: `${name} classic`,
    async turn() {
      model.end = performance.now() + seconds * 1_000;
      const input = next.question;
      const { history: recalled } = await memory.loadMemoryVariables({});
      const prompt = [new SystemMessage('persona'), ...recalled, new HumanMessage(input)];
      if (prompt.length < 2) throw new Error('no prompt');
      await memory.saveContext({ input }, { output: next.answer });
    },
    rest() {
      history.rewind();
      next = nextExchange(talk);
    },
    close() {},
  };
}

/** Answers at once and counts by rule of thumb; its counts are where a memory that takes too long is stopped. */
class InstantModel extends FakeListChatModel {
  end = Number.POSITIVE_INFINITY;

  override async getNumTokens(content: unknown): Promise<number> {
    if (performance.now() > this.end) throw new OutOfTime();
    return roughTokens(String(content));
  }
}

function createMemory(name: StrategyName, chatHistory: FileHistory, llm: InstantModel) {
  const common = { chatHistory, returnMessages: true };
  switch (name) {
    case 'buffer':
      return new BufferMemory(common);
    case 'window':
      return new BufferWindowMemory({ ...common, k: 10 });
    case 'token-buffer':
      return new ConversationTokenBufferMemory({ ...common, llm, maxTokenLimit: 2_000 });
    case 'summary':
      return new ConversationSummaryMemory({ ...common, llm });
    case 'summary-buffer':
      return new ConversationSummaryBufferMemory({ ...common, llm, maxTokenLimit: 3_000 });
  }
}
