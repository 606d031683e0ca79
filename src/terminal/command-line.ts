import { type CommandSpec, commandsOf } from '../chatbot/commands.js';
import { checkOptions, type OptionValues } from '../chatbot/options.js';
import { CommandError } from '../conversation/errors.js';
import { nearest } from '../conversation/nearest.js';

/** A command that was typed: its entry in the table and its checked options. */
export type TypedCommand = { spec: CommandSpec; options: OptionValues };

const commands = commandsOf('terminal');
const names = commands.map((spec) => spec.path.join(' '));

/**
 * Reads a line such as `/memory strategy window k:8` by the table of commands.
 * @throws {CommandError} naming the nearest right command or the option's range.
 */
export function parseCommand(line: string): TypedCommand {
  const words = line.slice(1).trim().split(/\s+/u);
  const given = words.filter((word) => word.includes(':'));
  const path = words.filter((word) => !word.includes(':')).map((word) => word.toLowerCase());
  const spec = commands.find((candidate) => candidate.path.join(' ') === path.join(' '));
  if (spec === undefined) throw unknownCommand(path);
  const pairs = given.map((word): [string, string] => {
    const colon = word.indexOf(':');
    return [word.slice(0, colon), word.slice(colon + 1)];
  });
  return { spec, options: checkOptions(spec, pairs) };
}

function unknownCommand(path: string[]): CommandError {
  const typed = path.join(' ');
  const under = names.filter((name) => name.startsWith(`${typed} `));
  if (typed !== '' && under.length > 0) {
    const next = [...new Set(under.map((name) => name.slice(typed.length + 1).split(' ')[0]))];
    return new CommandError('unknown-command', `/${typed} needs one more word: ${next.join(', ')}.`);
  }
  const meant =
    nearest(typed, [...names, 'quit'], 4) ?? names.find((name) => name.split(' ').includes(path.at(-1) ?? ''));
  const mend = meant === undefined ? 'type /help for the list' : `did you mean /${meant}?`;
  return new CommandError(
    'unknown-command',
    `There is no command /${typed.slice(0, 60)}; ${mend}${mend.endsWith('?') ? '' : '.'}`,
  );
}
