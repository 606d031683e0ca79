import { BaseMessage } from '@langchain/core/messages';
import { messageText } from './message-text.js';

/** All text of a runnable's input, so that its tokens can be kept free: of every message and every template variable. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (BaseMessage.isInstance(input)) return messageText(input);
  if (Array.isArray(input)) return input.map(inputText).join('\n');
  if (typeof input === 'object' && input !== null) return Object.values(input).map(inputText).join('\n');
  return input === undefined || input === null ? '' : String(input);
}
