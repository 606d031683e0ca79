import { writeFile } from 'node:fs/promises';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages';

/**
 * A history in a JSON file, in the way of LangChain's own `FileSystemChatMessageHistory`: read once, kept in memory,
 * mapped at each reading, and written anew, whole, at each message (without waiting for the disk).
 */
export class FileHistory extends BaseListChatMessageHistory {
  override lc_namespace = ['keepsake', 'bench'];
  #path: string;
  #stored: StoredMessage[];
  #length: number;

  constructor(path: string, messages: BaseMessage[]) {
    super();
    this.#path = path;
    this.#stored = mapChatMessagesToStoredMessages(messages);
    this.#length = messages.length;
  }

  override async getMessages(): Promise<BaseMessage[]> {
    return mapStoredMessagesToChatMessages(this.#stored);
  }

  override async addMessage(message: BaseMessage): Promise<void> {
    this.#stored = mapChatMessagesToStoredMessages([...(await this.getMessages()), message]);
    await writeFile(this.#path, JSON.stringify(this.#stored));
  }

  /** Goes back to the messages that it was made with. */
  rewind(): void {
    this.#stored.length = this.#length;
  }
}
