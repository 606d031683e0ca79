import type { BaseListChatMessageHistory } from '@langchain/core/chat_history';

/** Opens a history of a session; two of one id are two handles of the same session in the same store. */
export type CreateChatHistory = (sessionId: string) => BaseListChatMessageHistory | Promise<BaseListChatMessageHistory>;

/** One promise of a chat history; `run` rejects with an assertion when it is not kept. Each run needs an empty store. */
export type ChatHistoryCase = { name: string; run(create: CreateChatHistory): Promise<void> };

/** What is stored: kind and text of each message, oldest first. */
export async function transcript(history: BaseListChatMessageHistory): Promise<string[]> {
  return (await history.getMessages()).map((message) => `${message.getType()}: ${message.text}`);
}
