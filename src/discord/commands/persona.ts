import { LabelBuilder, ModalBuilder, TextInputBuilder, TextInputStyle } from 'discord.js';
import { CommandError } from '../../conversation/errors.js';
import { answer } from '../answers.js';
import { LONGEST_LIFE_MS, writeCustomId } from '../custom-id.js';
import { chooseScope } from '../rights.js';
import type { Call, CommandCall, Form, FormCall } from './command.js';
import { inForce } from './setting-words.js';

/** Characters that a persona may have. */
export const LONGEST_PERSONA = 2_000;

const FIELD = 'persona';

/** `/settings persona`: opens the form, which has to be the first answer; it begins with the persona that was set. */
export async function openPersonaForm(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const { scope } = chooseScope(call, call.options.scope);
  const { persona } = await door.chatbot.settings(place.session);
  const until = door.clock() + LONGEST_LIFE_MS;
  const input = new TextInputBuilder()
    .setCustomId(FIELD)
    .setStyle(TextInputStyle.Paragraph)
    .setPlaceholder(words.persona.placeholder)
    .setMaxLength(LONGEST_PERSONA)
    .setRequired(true);
  if (persona.origin !== 'default') input.setValue(persona.value);
  const label = new LabelBuilder().setLabel(words.persona.label).setTextInputComponent(input);
  const customId = writeCustomId({ kind: 'persona', what: scope, owner: interaction.user.id, until });
  const form = new ModalBuilder().setCustomId(customId).setTitle(words.persona.title).addLabelComponents(label);
  await interaction.showModal(form);
}

/** Takes the persona from the form, which may have been forged, and changes it. */
export const personaForm: Form = { submit };

async function submit(call: FormCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const { scope, scopeId } = chooseScope(call, call.what);
  const persona = writtenPersona(call);
  await requireRoom(call, persona);
  await door.chatbot.set(scopeId, 'persona', persona);
  const after = await door.chatbot.settings(place.session);
  await answer(interaction, [words.settings.saved[scope], inForce(words, after, 'persona')].join('\n'));
}

function writtenPersona({ interaction, words }: FormCall): string {
  const field = interaction.fields.fields.get(FIELD);
  const persona = (field !== undefined && 'value' in field ? String(field.value) : '').toWellFormed().trim();
  if (persona === '') throw new CommandError('bad-option', words.persona.empty);
  if (persona.length <= LONGEST_PERSONA) return persona;
  throw new CommandError('bad-option', words.persona.tooLong(persona.length, LONGEST_PERSONA));
}

/** Holds a persona to a quarter of the model's context. @throws {CommandError} with the estimate and the limit. */
async function requireRoom({ door, place, words }: Call, persona: string): Promise<void> {
  const most = Math.floor((await door.chatbot.report(place.session)).contextWindow / 4);
  const tokens = roughTokens(persona);
  if (tokens > most) throw new CommandError('bad-option', words.persona.tooLarge(tokens, most));
}

/** A guess at a text's tokens: three Latin characters make one, of other scripts each character may be one. */
function roughTokens(text: string): number {
  const characters = [...text];
  const latin = characters.filter((character) => character.charCodeAt(0) < 0x250).length;
  return Math.ceil(latin / 3) + characters.length - latin;
}
