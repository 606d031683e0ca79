import { type CommandSpec, commandName, commandsOf } from '../chatbot/commands.js';
import { checkOptions, type OptionValues } from '../chatbot/options.js';
import { misread } from './misread.js';

/** A command that was typed: its entry in the table and its checked options. */
export type TypedCommand = { spec: CommandSpec; options: OptionValues };

const commands = commandsOf('terminal');

/**
 * Reads a line such as `/memory strategy window k:8` by the table of commands.
 * @throws {CommandError} naming the nearest right command or the option's range.
 */
export function parseCommand(line: string): TypedCommand {
  const words = line.slice(1).trim().split(/\s+/u);
  const given = words.filter((word) => word.includes(':'));
  const path = words.filter((word) => !word.includes(':')).map((word) => word.toLowerCase());
  const spec = commands.find((candidate) => commandName(candidate) === path.join(' '));
  if (spec === undefined) throw misread(path);
  const pairs = given.map((word): [string, string] => {
    const colon = word.indexOf(':');
    return [word.slice(0, colon), word.slice(colon + 1)];
  });
  return { spec, options: checkOptions(spec, pairs) };
}
