import { EmbedBuilder } from 'discord.js';
import { SETTING_NAMES } from '../../chatbot/commands.js';
import { answer } from '../answers.js';
import { inlineCode } from '../plain-text.js';
import { requireRight } from '../rights.js';
import type { CommandCall } from './command.js';
import { settingValue } from './setting-words.js';

const PERSONA_UNITS = 900;

/** `/settings show`: every value in force here, and where it was set. */
export async function showSettings(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  requireRight(call, 'show');
  const { chatbot } = door;
  const [settings, { strategyText }] = [await chatbot.settings(place.session), await chatbot.report(place.session)];
  const origin = (name: keyof typeof settings) => words.origins[settings[name].origin];
  const fields = SETTING_NAMES.map((name) => ({
    name: words.choices[name],
    value: `${settingValue(words, settings, name, PERSONA_UNITS)} (${origin(name)})`,
    inline: name !== 'persona',
  }));
  const strategy = { name: words.settings.strategy, value: `${inlineCode(strategyText)} (${origin('strategy')})` };
  const embed = new EmbedBuilder().setTitle(words.settings.heading).addFields(strategy, ...fields);
  await answer(interaction, { embeds: [embed] });
}
