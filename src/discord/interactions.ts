import type { Interaction } from 'discord.js';
import { CommandError } from '../conversation/errors.js';
import { wordsFor } from '../words/index.js';
import { slashCommands } from './commands/index.js';
import type { Door } from './door.js';
import { answerFailure } from './failures.js';
import { giveCommand } from './give-command.js';
import { pressButton, sendForm } from './press.js';

/** Carries out what somebody asked for with a command, a button or a form; every one is answered, and nothing is thrown. */
export async function handleInteraction(door: Door, interaction: Interaction): Promise<void> {
  try {
    await route(door, interaction);
  } catch (error) {
    await answerFailure(door, interaction, error);
  }
}

async function route(door: Door, interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand()) return giveCommand(door, interaction);
  if (interaction.isButton()) return pressButton(door, interaction);
  if (interaction.isModalSubmit()) return sendForm(door, interaction);
  if (!interaction.isAutocomplete()) {
    throw new CommandError('unknown-command', wordsFor(interaction.locale).buttons.unknown);
  }
  const command = slashCommands.find(({ data }) => data.name === interaction.commandName);
  await (command?.suggest?.(door, interaction) ?? interaction.respond([]));
}
