import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { BasePromptValueInterface } from '@langchain/core/prompt_values';
import {
  type Runnable,
  RunnableLambda,
  RunnablePassthrough,
  RunnableWithMessageHistory,
} from '@langchain/core/runnables';
import { CommandError } from '../conversation/errors.js';
import { readCallSettings } from './call.js';
import { messageText } from './session-history.js';
import type { SessionMemory } from './session-memory.js';

/** Where input, output and history stand in a runnable's values, as RunnableWithMessageHistory has them. */
export type MessageKeys = { inputMessagesKey?: string; outputMessagesKey?: string; historyMessagesKey?: string };

/** What a call takes: the runnable's input, and where that is a list of messages also a text or a message alone. */
export type CallInput<Input> = Input | (BaseMessage[] extends Input ? string | BaseMessage : never);

/**
 * Gives a runnable a memory that each call chooses: `configurable.sessionId` says whose, `strategy` and `k` how much,
 * and `model` by which window (the runnable sees it too, see `modelByName`). The summary comes as the first system
 * message of the history; `mergeSystemMessages` joins it to the prompt's own.
 *
 * A call that fails, or whose stream is not read to its end, saves nothing: neither question nor answer. One that could
 * not be saved rejects (`CommandError`, `StorageError`), after its last piece when it streams.
 */
export function withSessionMemory<Input, Output>(
  runnable: Runnable<Input, Output>,
  memory: SessionMemory,
  keys: MessageKeys = {},
): Runnable<CallInput<Input>, Output> {
  return RunnableLambda.from<CallInput<Input>, Output>((input, config) => {
    const history = memory.open(readCallSettings(config.configurable), input);
    const remembering = new RunnableWithMessageHistory({
      runnable: runnable as Runnable<CallInput<Input>, Output>,
      getMessageHistory: () => history,
      ...keys,
    });
    return remembering.pipe(new RunnablePassthrough<Output>({ func: () => history.checkSaved() }));
  }).withConfig({ runName: 'withSessionMemory' });
}

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

/**
 * A runnable that hands each call to the model named in `configurable.model`, or to `fallback` when none is named.
 * A call rejects with a {@link CommandError} that lists the names when it names another one.
 */
export function modelByName<Input, Output, Name extends string>(
  models: Readonly<Record<Name, Runnable<Input, Output>>>,
  fallback: NoInfer<Name>,
): Runnable<Input, Output> {
  const byName = new Map<unknown, Runnable<Input, Output>>(Object.entries<Runnable<Input, Output>>(models));
  return RunnableLambda.from<Input, Output>((_, config) => {
    const model = byName.get(config.configurable?.model ?? fallback);
    if (model !== undefined) return model;
    const names = [...byName.keys()].map((name) => `\`${name}\``).join(', ');
    throw new CommandError('bad-option', `\`configurable.model\` names no model of this chain; it is one of ${names}.`);
  }).withConfig({ runName: 'modelByName' });
}
