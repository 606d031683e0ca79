import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, type BaseMessage, getBufferString, HumanMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import fc from 'fast-check';
import type { Message } from '../../src/conversation/message.js';
import { row } from './histories.js';

/** One exchange, as LangChain's memories save it. */
export type Exchange = { input: string; output: string };

/** Exchanges `h1`/`a1`, `h2`/`a2` and so on. */
export function exchanges(count: number): Exchange[] {
  return Array.from({ length: count }, (_, index) => ({ input: `h${index + 1}`, output: `a${index + 1}` }));
}

/** Exchanges of one to six words a message; each message begins with a word of its own. */
export const anyExchanges: fc.Arbitrary<Exchange[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })), { maxLength: 12 })
  .map((lengths) =>
    lengths.map(([asked, answered], i) => ({
      input: `h${i}${' w'.repeat(asked)}`,
      output: `a${i}${' w'.repeat(answered)}`,
    })),
  );

/** Words of a text: the tokens of these comparisons, for both sides. */
export function words(text: string): number {
  return text.split(/\s+/u).filter((word) => word !== '').length;
}

/** A model that answers from a list, counts words and records what it was asked; it never reaches for the network. */
export class WordModel extends FakeListChatModel {
  readonly asked: string[] = [];

  override async getNumTokens(content: unknown): Promise<number> {
    return words(String(content));
  }

  override async _generate(...args: Parameters<FakeListChatModel['_generate']>) {
    this.asked.push(args[0].map((message) => String(message.content)).join('\n'));
    return super._generate(...args);
  }
}

/** A model whose answers are S1, S2, S3 and so on. */
export function summarizer(): WordModel {
  return new WordModel({ responses: Array.from({ length: 200 }, (_, index) => `S${index + 1}`) });
}

/** A history that hands out copies, as every database does. */
export class CopyingHistory extends InMemoryChatMessageHistory {
  override async getMessages(): Promise<BaseMessage[]> {
    return [...(await super.getMessages())];
  }
}

type Memory = {
  saveContext(input: object, output: object): Promise<void>;
  loadMemoryVariables(values: object): Promise<Record<string, BaseMessage[]>>;
};

/** Saves the exchanges one by one. */
export async function save(memory: Memory, list: readonly Exchange[]): Promise<void> {
  for (const { input, output } of list) await memory.saveContext({ input }, { output });
}

/** What a LangChain memory would put into the next prompt, as texts. */
export async function loaded(memory: Memory): Promise<string[]> {
  const { history = [] } = await memory.loadMemoryVariables({});
  return history.map((message) => String(message.content));
}

/** The same exchanges as rows of ours; a row's tokens are the words of its line in LangChain's transcript. */
export function rowsOf(list: readonly Exchange[]): Message[] {
  return list.flatMap(({ input, output }, index) => [
    row({ seq: 2 * index + 1, role: 'user', text: input, tokens: words(input) + 1 }),
    row({ seq: 2 * index + 2, role: 'assistant', text: output, tokens: words(output) + 1 }),
  ]);
}

/** The same rows as LangChain's messages. */
export function asMessages(rows: readonly Message[]): BaseMessage[] {
  return rows.map(({ role, text }) => (role === 'user' ? new HumanMessage(text) : new AIMessage(text)));
}

/** Words of a list's transcript, LangChain's measure. */
export function transcriptWords(list: BaseMessage[]): number {
  return words(getBufferString(list));
}

/** The texts of messages, of either side. */
export function texts(messages: readonly (Message | BaseMessage | undefined)[]): string[] {
  return messages.flatMap((each) => (each === undefined ? [] : 'role' in each ? [each.text] : [String(each.content)]));
}

/** Without the answers at the front, which ours never sends. */
export function fromFirstQuestion(list: string[], exchanged: readonly Exchange[]): string[] {
  const questions = new Set(exchanged.map(({ input }) => input));
  const first = list.findIndex((text) => questions.has(text));
  return first === -1 ? [] : list.slice(first);
}
