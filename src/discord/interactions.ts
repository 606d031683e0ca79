import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import { type CommandSpec, checkOptions, commandName, commandsOf, type RawOptions } from '../chatbot/commands.js';
import { CommandError } from '../conversation/errors.js';
import type { Words } from '../words/en.js';
import { wordsFor } from '../words/index.js';
import { handleStopPress, parseStopId } from './answers/stop-button.js';
import { type CustomId, readCustomId } from './commands/custom-id.js';
import { buttons, modalHandlers, slashCommands } from './commands/index.js';
import { type BotContext, wordsAt } from './shared/context.js';
import { replyWithError } from './shared/failures.js';
import { placeOf } from './shared/incoming.js';

/** Handles a command, a button or a form; every one is answered, and nothing is thrown. */
export async function handleInteraction(ctx: BotContext, interaction: Interaction): Promise<void> {
  try {
    await route(ctx, interaction);
  } catch (error) {
    await replyWithError(ctx, interaction, error);
  }
}

async function route(ctx: BotContext, interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand()) return executeCommand(ctx, interaction);
  if (interaction.isButton()) return pressButton(ctx, interaction);
  if (interaction.isModalSubmit()) return submitForm(ctx, interaction);
  if (!interaction.isAutocomplete()) {
    throw new CommandError('unknown-command', wordsFor(interaction.locale).buttons.unknown);
  }
  const command = slashCommands.find(({ data }) => data.name === interaction.commandName);
  await (command?.suggest?.(ctx, interaction) ?? interaction.respond([]));
}

/**
 * Executes a slash command: defers first, since Discord waits three seconds only, then checks its options.
 * @throws {CommandError} for commands and options that are not in the table.
 */
async function executeCommand(ctx: BotContext, interaction: ChatInputCommandInteraction): Promise<void> {
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
  const words = await wordsAt(ctx, place, interaction.locale);
  const options = checkOptions(spec, rawOptions(interaction.options.data));
  await command.execute({ ctx, interaction, place, words, name, options });
}

function specOf({ commandName: name, options }: ChatInputCommandInteraction): CommandSpec | undefined {
  const path = [name, options.getSubcommandGroup(false), options.getSubcommand(false)].filter((word) => word !== null);
  return commandsOf('discord').find((spec) => spec.path.join(' ') === path.join(' '));
}

/** Flattens the options below groups and subcommands. */
function rawOptions(data: readonly CommandInteractionOption[]): RawOptions {
  return data.flatMap(
    (option): RawOptions =>
      option.options === undefined
        ? option.value === undefined
          ? []
          : [[option.name, typeof option.value === 'boolean' ? String(option.value) : option.value]]
        : rawOptions(option.options),
  );
}

/**
 * Handles the press of a button; its custom id may be forged.
 * @throws {CommandError} when it is unknown, somebody else's, or has expired.
 */
async function pressButton(ctx: BotContext, interaction: ButtonInteraction): Promise<void> {
  if (parseStopId(interaction.customId) !== null) return stopAnswer(ctx, interaction);
  const id = readCustomId(interaction.customId, ctx.clock());
  const button = id !== null && Object.hasOwn(buttons, id.kind) ? buttons[id.kind] : undefined;
  const refusal = refusalOf(ctx, interaction, button === undefined ? null : id);
  if (refusal !== null || button?.firstReply === 'private') {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  } else {
    await interaction.deferUpdate();
  }
  const place = placeOf(interaction);
  const words = await wordsAt(ctx, place, interaction.locale);
  if (refusal !== null) throw new CommandError('not-allowed', words.buttons[refusal]);
  await button?.press({ ctx, interaction, place, words, what: id?.what ?? '' });
}

async function stopAnswer(ctx: BotContext, interaction: ButtonInteraction): Promise<void> {
  const words = (await wordsAt(ctx, placeOf(interaction), interaction.locale)).reply;
  const mayModerate = ({ memberPermissions }: ButtonInteraction) => memberPermissions?.has('ManageMessages') === true;
  await handleStopPress(interaction, { running: ctx.running, words, mayModerate });
}

/** Handles a submitted form; its custom id and its fields may be forged. @throws {CommandError} as for buttons. */
async function submitForm(ctx: BotContext, interaction: ModalSubmitInteraction): Promise<void> {
  const id = readCustomId(interaction.customId, ctx.clock());
  const form = id !== null && Object.hasOwn(modalHandlers, id.kind) ? modalHandlers[id.kind] : undefined;
  const refusal = refusalOf(ctx, interaction, form === undefined ? null : id);
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const place = placeOf(interaction);
  const words = await wordsAt(ctx, place, interaction.locale);
  if (refusal !== null) throw new CommandError('not-allowed', words.buttons[refusal]);
  await form?.submit({ ctx, interaction, place, words, what: id?.what ?? '' });
}

/** Why a custom id must not be acted on; null when it may. */
function refusalOf(
  ctx: BotContext,
  { user }: ButtonInteraction | ModalSubmitInteraction,
  id: CustomId | null,
): keyof Words['buttons'] | null {
  if (id === null) return 'unknown';
  if (id.owner !== user.id) return 'notYours';
  return id.until < ctx.clock() ? 'expired' : null;
}
