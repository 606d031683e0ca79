import { type ChatInputCommandInteraction, type CommandInteractionOption, MessageFlags } from 'discord.js';
import { type CommandSpec, commandName, commandsOf } from '../chatbot/commands.js';
import { checkOptions, type GivenOptions } from '../chatbot/options.js';
import { CommandError } from '../conversation/errors.js';
import { wordsFor } from '../words/index.js';
import { slashCommands } from './commands/index.js';
import type { Door } from './door.js';
import { wordsAt } from './localize.js';
import { placeOf } from './place.js';

/**
 * Carries out a slash command: answers Discord first, so that no database is waited for, then checks and executes.
 * @throws {CommandError} for commands and options that are not in the table.
 */
export async function giveCommand(door: Door, interaction: ChatInputCommandInteraction): Promise<void> {
  const spec = specOf(interaction);
  const command = slashCommands.find(({ data }) => data.name === interaction.commandName);
  if (spec === undefined || command === undefined) {
    throw new CommandError('unknown-command', wordsFor(interaction.locale).buttons.unknown);
  }
  const name = commandName(spec);
  const first = command.firstReply(name);
  if (first === 'public') await interaction.deferReply();
  if (first === 'private') await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const place = placeOf(interaction);
  const words = await wordsAt(door, place, interaction.locale);
  const options = checkOptions(spec, givenOptions(interaction.options.data));
  await command.execute({ door, interaction, place, words, name, options });
}

function specOf({ commandName: name, options }: ChatInputCommandInteraction): CommandSpec | undefined {
  const path = [name, options.getSubcommandGroup(false), options.getSubcommand(false)].filter((word) => word !== null);
  return commandsOf('discord').find((spec) => spec.path.join(' ') === path.join(' '));
}

/** The values at the end of the path of groups and subcommands. */
function givenOptions(data: readonly CommandInteractionOption[]): GivenOptions {
  return data.flatMap(
    (option): GivenOptions =>
      option.options === undefined
        ? option.value === undefined
          ? []
          : [[option.name, typeof option.value === 'boolean' ? String(option.value) : option.value]]
        : givenOptions(option.options),
  );
}
