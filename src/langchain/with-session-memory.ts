import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { BasePromptValueInterface } from '@langchain/core/prompt_values';
import {
  type Runnable,
  RunnableLambda,
  RunnablePassthrough,
  RunnableWithMessageHistory,
} from '@langchain/core/runnables';
import { badOption } from '../conversation/errors.js';
import { readCallSettings } from './call-settings.js';
import { messageText } from './session-history.js';
import type { SessionMemory } from './session-memory.js';

/** The keys of input, output and history in a runnable's values, as in RunnableWithMessageHistory. */
export type MessageKeys = { inputMessagesKey?: string; outputMessagesKey?: string; historyMessagesKey?: string };

/** The input of a call: the runnable's own, and where that is a list of messages also a text or a single message. */
export type CallInput<Input> = Input | (BaseMessage[] extends Input ? string | BaseMessage : never);

/**
 * Gives a runnable a memory that each call configures: `configurable.sessionId` names the session, `strategy` and `k` select
 * what is recalled, and `model` determines the context window (the runnable sees it too, see `modelByName`). The summary is
 * the first system message of the history; `mergeSystemMessages` joins it to the prompt's own.
 *
 * A call that fails, or whose stream is not read to its end, saves nothing: neither question nor answer. A call that could
 * not be saved rejects (`CommandError`, `StorageError`), after its last piece when it streams.
 */
export function withSessionMemory<Input, Output>(
  runnable: Runnable<Input, Output>,
  memory: SessionMemory,
  keys: MessageKeys = {},
): Runnable<CallInput<Input>, Output> {
  return RunnableLambda.from<CallInput<Input>, Output>((input, config) => {
    const history = memory.open(readCallSettings(config.configurable), input);
    const withHistory = new RunnableWithMessageHistory({
      runnable: runnable as Runnable<CallInput<Input>, Output>,
      getMessageHistory: () => history,
      ...keys,
    });
    return withHistory.pipe(new RunnablePassthrough<Output>({ func: () => history.checkSaved() }));
  }).withConfig({ runName: 'withSessionMemory' });
}

/**
 * Creates a runnable between prompt and model that merges all system messages into the first, and adjacent texts of people
 * into one message. Many models refuse a prompt of another shape.
 */
export function mergeSystemMessages(): Runnable<BasePromptValueInterface | BaseMessage[], BaseMessage[]> {
  return RunnableLambda.from((prompt: BasePromptValueInterface | BaseMessage[]) =>
    mergeMessages(Array.isArray(prompt) ? prompt : prompt.toChatMessages()),
  ).withConfig({ runName: 'mergeSystemMessages' });
}

function mergeMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  const system = messages.filter((message) => message.getType() === 'system').map(messageText);
  const rest = messages.filter((message) => message.getType() !== 'system').reduce(joinAdjacent, []);
  const systemTexts = system.filter((text) => text !== '');
  return systemTexts.length === 0 ? rest : [new SystemMessage(systemTexts.join('\n\n')), ...rest];
}

function joinAdjacent(list: BaseMessage[], message: BaseMessage): BaseMessage[] {
  const last = list.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(message)) return [...list, message];
  return [...list.slice(0, -1), new HumanMessage(`${messageText(last)}\n${messageText(message)}`)];
}

/** A joined text would lose pictures and names. */
function isPlainText(message: BaseMessage): boolean {
  return message.getType() === 'human' && typeof message.content === 'string' && message.name === undefined;
}

/**
 * Creates a runnable that passes each call to the model named in `configurable.model`, or to `fallback` when none is named.
 * A call that names an unknown model rejects with a `CommandError` that lists the names.
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
    throw badOption(`\`configurable.model\` names no model of this chain; it is one of ${names}.`);
  }).withConfig({ runName: 'modelByName' });
}
