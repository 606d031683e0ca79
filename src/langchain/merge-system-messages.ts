import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { BasePromptValueInterface } from '@langchain/core/prompt_values';
import { type Runnable, RunnableLambda } from '@langchain/core/runnables';
import { messageText } from './message-text.js';

/**
 * A runnable between prompt and model: all system messages become one, the first; neighbouring texts of people become
 * one message. Many models refuse a prompt of another shape. Nothing else is changed.
 */
export function mergeSystemMessages(): Runnable<BasePromptValueInterface | BaseMessage[], BaseMessage[]> {
  return RunnableLambda.from((prompt: BasePromptValueInterface | BaseMessage[]) =>
    merged(Array.isArray(prompt) ? prompt : prompt.toChatMessages()),
  ).withConfig({ runName: 'mergeSystemMessages' });
}

function merged(messages: readonly BaseMessage[]): BaseMessage[] {
  const system = messages.filter((message) => message.getType() === 'system').map(messageText);
  const rest = messages.filter((message) => message.getType() !== 'system').reduce(joinNeighbours, []);
  const told = system.filter((text) => text !== '');
  return told.length === 0 ? rest : [new SystemMessage(told.join('\n\n')), ...rest];
}

function joinNeighbours(list: BaseMessage[], message: BaseMessage): BaseMessage[] {
  const last = list.at(-1);
  if (last === undefined || !isPlainTalk(last) || !isPlainTalk(message)) return [...list, message];
  return [...list.slice(0, -1), new HumanMessage(`${messageText(last)}\n${messageText(message)}`)];
}

/** Pictures and names would be lost in a joined text. */
function isPlainTalk(message: BaseMessage): boolean {
  return message.getType() === 'human' && typeof message.content === 'string' && message.name === undefined;
}
