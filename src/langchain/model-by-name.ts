import { type Runnable, RunnableLambda } from '@langchain/core/runnables';
import { CommandError } from '../conversation/errors.js';

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
