import type { BaseMessage } from '@langchain/core/messages';
import {
  type Runnable,
  RunnableLambda,
  RunnablePassthrough,
  RunnableWithMessageHistory,
} from '@langchain/core/runnables';
import { readCallSettings } from './call-settings.js';
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
