import { type ButtonInteraction, MessageFlags, type ModalSubmitInteraction } from 'discord.js';
import { CommandError } from '../conversation/errors.js';
import type { Words } from '../words/en.js';
import { buttons, forms } from './commands/buttons.js';
import { type CustomId, readCustomId } from './custom-id.js';
import type { Door } from './door.js';
import { wordsAt } from './localize.js';
import { placeOf } from './place.js';
import { pressStop, stoppedTrigger } from './stop-button.js';

/**
 * Carries out the press of a button whose custom id may be forged.
 * @throws {CommandError} when it is unknown, somebody else's, or has expired.
 */
export async function pressButton(door: Door, interaction: ButtonInteraction): Promise<void> {
  if (stoppedTrigger(interaction.customId) !== null) return stop(door, interaction);
  const id = readCustomId(interaction.customId, door.clock());
  const button = id !== null && Object.hasOwn(buttons, id.kind) ? buttons[id.kind] : undefined;
  const fault = faultOf(door, interaction, button === undefined ? null : id);
  if (fault !== null || button?.firstReply === 'private') {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  } else {
    await interaction.deferUpdate();
  }
  const place = placeOf(interaction);
  const words = await wordsAt(door, place, interaction.locale);
  if (fault !== null) throw new CommandError('not-allowed', words.buttons[fault]);
  await button?.press({ door, interaction, place, words, what: id?.what ?? '' });
}

async function stop(door: Door, interaction: ButtonInteraction): Promise<void> {
  const words = (await wordsAt(door, placeOf(interaction), interaction.locale)).reply;
  const mayModerate = ({ memberPermissions }: ButtonInteraction) => memberPermissions?.has('ManageMessages') === true;
  await pressStop(interaction, { running: door.running, words, mayModerate });
}

/** Carries out a form that was sent; its custom id and its fields may be forged. @throws {CommandError} as for buttons. */
export async function sendForm(door: Door, interaction: ModalSubmitInteraction): Promise<void> {
  const id = readCustomId(interaction.customId, door.clock());
  const form = id !== null && Object.hasOwn(forms, id.kind) ? forms[id.kind] : undefined;
  const fault = faultOf(door, interaction, form === undefined ? null : id);
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const place = placeOf(interaction);
  const words = await wordsAt(door, place, interaction.locale);
  if (fault !== null) throw new CommandError('not-allowed', words.buttons[fault]);
  await form?.submit({ door, interaction, place, words, what: id?.what ?? '' });
}

/** Why a custom id must not be acted on, or null when it may. */
function faultOf(
  door: Door,
  { user }: ButtonInteraction | ModalSubmitInteraction,
  id: CustomId | null,
): keyof Words['buttons'] | null {
  if (id === null) return 'unknown';
  if (id.owner !== user.id) return 'notYours';
  return id.until < door.clock() ? 'expired' : null;
}
