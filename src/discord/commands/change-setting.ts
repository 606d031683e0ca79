import type { OptionValues } from '../../chatbot/options.js';
import { CommandError } from '../../conversation/errors.js';
import { answer } from '../answers.js';
import { wordsIn } from '../localize.js';
import { chooseScope } from '../rights.js';
import { announceListening } from './announce-listening.js';
import type { CommandCall } from './command.js';
import { requireAllowedModel } from './models.js';
import { inForce, type SettingName } from './setting-words.js';

/** `/settings model`, `temperature`, `listen`, `respond`, `vision`, `language`: changes one value of a scope. */
export async function changeSetting(call: CommandCall): Promise<void> {
  const { door, interaction, place, name } = call;
  const key = name.slice('settings '.length) as SettingName;
  const { scope, scopeId } = chooseScope(call, call.options.scope);
  const value = valueToStore(call, key, call.options[key]);
  const before = await door.chatbot.settings(place.session);
  // What is set already stays as it was set, so that nobody is told anew that all talk is remembered.
  const { [key]: own } = await door.chatbot.settings({ id: scopeId, parentId: null, serverId: null });
  if (own.origin !== 'here' || own.value !== value) await door.chatbot.set(scopeId, key, value);
  const after = await door.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  await answer(interaction, [words.settings.saved[scope], inForce(words, after, key)].join('\n'));
  const turnedOn = key === 'listen' && value === 'all';
  await announceListening({ ...call, words }, before, after, turnedOn);
}

/** The value to store. @throws {CommandError} for models that are not allowed, and where messages cannot be read. */
function valueToStore(call: CommandCall, key: SettingName, given: OptionValues[string] | undefined): unknown {
  if (key === 'model') requireAllowedModel(call, given);
  if (!call.door.options.messageContent && (given === 'all' || given === 'always')) {
    throw new CommandError('not-allowed', call.words.refusals.needsMessageContent(`${key}:${given}`));
  }
  return key === 'vision' ? given === 'on' : given;
}
