import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { commandName, commandsOf } from '../../src/chatbot/commands.js';
import { slashCommands } from '../../src/discord/commands/index.js';

type Described = {
  name: string;
  description: string;
  description_localizations?: Record<string, string | null> | null;
  options?: readonly APIApplicationCommandOption[];
  required?: boolean;
  choices?: readonly Choice[];
};
type Choice = { name: string; value: string | number; name_localizations?: Record<string, string | null> | null };

const all = slashCommands.map(({ data }) => data);
/** Discord's pattern for names of commands and options, which are lower case. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

function within(node: Described): Described[] {
  return [node, ...((node.options ?? []) as readonly Described[]).flatMap(within)];
}

const everything = all.flatMap((command) => within(command as Described));

/** Discord counts names, descriptions and values; of a localised text only its longest form. */
function charactersOf(node: Described): number {
  const longest = (text: string, others: Record<string, string | null> | null = {}) =>
    Math.max(text.length, ...Object.values(others ?? {}).map((other) => other?.length ?? 0));
  const choices = (node.choices ?? []).map(
    ({ name, value, name_localizations }) => longest(name, name_localizations) + String(value).length,
  );
  const own = node.name.length + longest(node.description, node.description_localizations);
  const inner = ((node.options ?? []) as readonly Described[]).map(charactersOf);
  return [own, ...choices, ...inner].reduce((sum, part) => sum + part, 0);
}

function pathsOf(command: RESTPostAPIChatInputApplicationCommandsJSONBody): string[] {
  const nested = (option: APIApplicationCommandOption, path: string): string[] => {
    if (option.type === ApplicationCommandOptionType.Subcommand) return [`${path} ${option.name}`];
    if (option.type !== ApplicationCommandOptionType.SubcommandGroup) return [];
    return (option.options ?? []).map((sub) => `${path} ${option.name} ${sub.name}`);
  };
  const paths = (command.options ?? []).flatMap((option) => nested(option, command.name));
  return paths.length === 0 ? [command.name] : paths;
}

describe('what Discord is told of the commands', () => {
  it('is the whole table, each command once', () => {
    expect(all.flatMap(pathsOf).sort()).toEqual(commandsOf('discord').map(commandName).sort());
  });

  it('keeps to Discord’s names, which are not localised', () => {
    expect(everything.filter(({ name }) => !NAME.test(name) || name !== name.toLowerCase())).toEqual([]);
    expect(everything.filter((node) => 'name_localizations' in node && node.name_localizations)).toEqual([]);
  });

  it('describes everything in 1 to 100 characters, in every language', () => {
    for (const { description, description_localizations: others } of everything) {
      expect(Object.keys(others ?? {}).sort()).toEqual(['zh-CN', 'zh-TW']);
      for (const text of [description, ...Object.values(others ?? {})]) {
        expect(text?.length).toBeGreaterThan(0);
        expect(text?.length).toBeLessThanOrEqual(100);
      }
    }
  });

  it('offers at most 25 options and choices, with localised names', () => {
    for (const { options = [], choices = [] } of everything) {
      expect(options.length).toBeLessThanOrEqual(25);
      expect(choices.length).toBeLessThanOrEqual(25);
      for (const choice of choices) {
        expect(Object.keys(choice.name_localizations ?? {}).sort()).toEqual(['zh-CN', 'zh-TW']);
      }
    }
  });

  it('puts required options before the others', () => {
    for (const { options = [] } of everything) {
      const required = (options as readonly Described[]).map((option) => option.required === true);
      expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    }
  });

  it('stays within 8,000 characters a command', () => {
    for (const command of all) expect(charactersOf(command as Described)).toBeLessThanOrEqual(8_000);
  });

  it('offers every command in servers and direct messages, and to servers’ installs alone', () => {
    for (const command of all) {
      expect(command).toMatchObject({ contexts: [0, 1], integration_types: [0] });
      expect(command.default_member_permissions ?? null).toBeNull();
    }
  });

  it('takes the ranges from the table', () => {
    const window = all
      .flatMap((command) => within(command as Described))
      .find(({ name, options }) => name === 'window' && options !== undefined);
    expect(window?.options?.[0]).toMatchObject({ name: 'k', required: true, min_value: 0, max_value: 500, type: 4 });
    const temperature = everything.find(({ name, options }) => name === 'temperature' && options !== undefined);
    expect(temperature?.options?.[0]).toMatchObject({ min_value: 0, max_value: 2, type: 10 });
    const model = everything.find(({ name, options }) => name === 'model' && options !== undefined);
    expect(model?.options?.[0]).toMatchObject({ autocomplete: true, type: 3 });
  });
});
