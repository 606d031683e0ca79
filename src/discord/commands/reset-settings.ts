import { SETTING_NAMES } from '../../chatbot/commands.js';
import { answer } from '../answers.js';
import { wordsIn } from '../localize.js';
import { chooseScope } from '../rights.js';
import { announceListening } from './announce-listening.js';
import type { CommandCall } from './command.js';
import { inForce } from './setting-words.js';

/** `/settings reset`: removes one or all values of a scope, so that the wider one holds again. */
export async function resetSettings(call: CommandCall): Promise<void> {
  const { door, interaction, place, options } = call;
  const { scope, scopeId } = chooseScope(call, options.scope);
  const names = SETTING_NAMES.filter((name) => options.setting === name || options.setting === 'everything');
  const before = await door.chatbot.settings(place.session);
  for (const name of names) await door.chatbot.set(scopeId, name, undefined);
  const after = await door.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  const lines = [words.settings.removed[scope], ...names.map((name) => inForce(words, after, name))];
  await answer(interaction, lines.join('\n'));
  await announceListening({ ...call, words }, before, after, false);
}
