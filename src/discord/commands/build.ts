import {
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  SlashCommandBuilder,
  type SlashCommandIntegerOption,
  type SlashCommandNumberOption,
  type SlashCommandSubcommandBuilder,
} from 'discord.js';
import { type CommandSpec, commandName, commandsOf, type OptionSpec } from '../../chatbot/commands.js';
import { en, type Words } from '../../words/en.js';
import { localizations } from '../shared/context.js';

type Described = {
  setDescription(text: string): unknown;
  setDescriptionLocalizations(texts: ReturnType<typeof localizations>): unknown;
};

/** Builds Discord's payload of a top-level command from the table of commands, described in every language. */
export function buildCommand(name: string): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const specs = commandsOf('discord').filter(({ path }) => path[0] === name);
  const command = new SlashCommandBuilder()
    .setName(name)
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall);
  const whole = specs.find(({ path }) => path.length === 1);
  describe(command, whole ? ({ commands }) => commands[commandName(whole)] : groupText(name));
  if (whole !== undefined) addOptions(command, whole);
  for (const spec of specs.filter(({ path }) => path.length === 2)) {
    command.addSubcommand((sub) => fillSubcommand(sub, spec));
  }
  for (const group of new Set(specs.filter(({ path }) => path.length === 3).map(({ path }) => path[1] ?? ''))) {
    addGroup(command, name, group, specs);
  }
  return command.toJSON();
}

function addGroup(command: SlashCommandBuilder, name: string, group: string, specs: readonly CommandSpec[]): void {
  command.addSubcommandGroup((builder) => {
    describe(builder.setName(group), groupText(`${name} ${group}`));
    for (const spec of specs.filter(({ path }) => path.length === 3 && path[1] === group)) {
      builder.addSubcommand((sub) => fillSubcommand(sub, spec));
    }
    return builder;
  });
}

function fillSubcommand(sub: SlashCommandSubcommandBuilder, spec: CommandSpec): SlashCommandSubcommandBuilder {
  describe(sub.setName(spec.path.at(-1) ?? ''), ({ commands }) => commands[commandName(spec)]);
  addOptions(sub, spec);
  return sub;
}

/** Discord wants required options first, as they stand in the table. */
function addOptions(builder: SlashCommandBuilder | SlashCommandSubcommandBuilder, spec: CommandSpec): void {
  for (const option of spec.options) addOption(builder, option);
}

function addOption(builder: SlashCommandBuilder | SlashCommandSubcommandBuilder, option: OptionSpec): void {
  const { name, type, required = false, min, max } = option;
  const text = ({ options }: Words) => options[name as keyof Words['options']];
  if (type === 'string') {
    builder.addStringOption((string) => {
      describe(string.setName(name).setRequired(required), text);
      if (option.maxLength !== undefined) string.setMaxLength(option.maxLength);
      if (option.choices !== undefined) string.addChoices(...option.choices.map(choice));
      return option.suggested === true ? string.setAutocomplete(true) : string;
    });
    return;
  }
  if (type === 'attachment') {
    builder.addAttachmentOption((file) => {
      describe(file.setName(name).setRequired(required), text);
      return file;
    });
    return;
  }
  const fill = <T extends SlashCommandIntegerOption | SlashCommandNumberOption>(number: T): T => {
    describe(number.setName(name).setRequired(required), text);
    if (min !== undefined) number.setMinValue(min);
    if (max !== undefined) number.setMaxValue(max);
    return number;
  };
  if (type === 'integer') builder.addIntegerOption(fill);
  else builder.addNumberOption(fill);
}

function choice(value: string) {
  const text = ({ choices }: Words) => choices[value as keyof Words['choices']];
  return { name: text(en), value, name_localizations: localizations(text) };
}

function groupText(name: string): (words: Words) => string {
  return ({ groups }) => groups[name as keyof Words['groups']];
}

function describe(builder: Described, text: (words: Words) => string): void {
  builder.setDescription(text(en));
  builder.setDescriptionLocalizations(localizations(text));
}
