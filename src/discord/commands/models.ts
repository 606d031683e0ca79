import type { AutocompleteInteraction } from 'discord.js';
import { CommandError } from '../../conversation/errors.js';
import type { Door } from '../door.js';
import { cut } from '../plain-text.js';
import type { Call } from './command.js';

const SUGGESTIONS = 25;
const LONGEST_VALUE = 100;

/** Suggests the allowed models that contain what was typed so far. */
export async function suggestModels(door: Door, interaction: AutocompleteInteraction): Promise<void> {
  const typed = interaction.options.getFocused().toLowerCase();
  const fits = (model: string) => model.length <= LONGEST_VALUE && model.toLowerCase().includes(typed);
  const models = door.options.allowedModels.filter(fits).slice(0, SUGGESTIONS);
  await interaction.respond(models.map((model) => ({ name: model, value: model })));
}

/** Holds a model to those that the owner allows; what was suggested need not be what was sent. @throws {CommandError} */
export function requireAllowedModel({ door, words }: Call, model: unknown): void {
  const allowed = door.options.allowedModels;
  if (allowed.some((each) => each === model)) return;
  throw new CommandError('bad-option', words.refusals.modelNotAllowed(cut(allowed.join(', '), 1_500)));
}
