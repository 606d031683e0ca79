import { type CommandSpec, commandName, commandsOf, commandTable, type OptionSpec } from '../chatbot/commands.js';
import { near } from '../chatbot/options.js';
import { CommandError } from '../conversation/errors.js';

const here = commandsOf('terminal');
const names: string[] = here.map(commandName);
const elsewhere = commandTable.filter((spec) => !names.includes(commandName(spec))).map(commandName);

/** Other words for leaving, as other programs have them. */
const FAREWELLS = ['exit', 'bye', 'q', 'logout'];

/** What is wrong with words that are no command here, in one sentence with the mend. */
export function misread(path: readonly string[]): CommandError {
  const typed = path.join(' ');
  return new CommandError(
    'unknown-command',
    unfinished(typed) ?? misplaced(typed) ?? onDiscordOnly(typed) ?? unknown(typed, path),
  );
}

/** The command that a line without its slash was probably meant to be, such as `/quit` for `exit`, or null. */
export function meantCommand(line: string): string | null {
  const word = line.trim().toLowerCase();
  if (word === 'quit' || FAREWELLS.includes(word)) return '/quit';
  return word === 'help' ? '/help' : null;
}

function unfinished(typed: string): string | null {
  const under = names.filter((name) => typed !== '' && name.startsWith(`${typed} `));
  const next = [...new Set(under.map((name) => name.slice(typed.length + 1).split(' ')[0]))];
  return next.length === 0 ? null : `/${typed} needs one more word: ${next.join(', ')}.`;
}

/** A whole command, and after it a word that may be the value of an option. */
function misplaced(typed: string): string | null {
  const spec = here.find((candidate) => typed.startsWith(`${commandName(candidate)} `));
  if (spec === undefined) return null;
  const name = commandName(spec);
  if (spec.options.length === 0) return `/${name} takes no options; type it alone.`;
  return `Options are typed name:value, such as ${example(spec, typed.slice(name.length + 1).split(' ')[0] ?? '')}.`;
}

/** The option as it was probably meant, or any that the command takes. */
function example(spec: CommandSpec, word: string): string {
  const [, name = '', value = word] = /^(\w+)=(\S+)$/u.exec(word) ?? [];
  const named =
    spec.options.find((option) => option.name === name) ?? spec.options.find((option) => takes(option, value));
  if (named !== undefined && takes(named, value)) return `${named.name}:${value}`;
  const [first] = spec.options;
  return `${first?.name}:${first?.choices?.[0] ?? Math.max(8, first?.min ?? 0)}`;
}

function takes({ choices, min = 0, max = 0 }: OptionSpec, value: string): boolean {
  if (choices !== undefined) return choices.includes(value);
  return /^\d+$/u.test(value) && Number(value) >= min && Number(value) <= max;
}

function onDiscordOnly(typed: string): string | null {
  const name = elsewhere.find((each) => `${typed} `.startsWith(`${each} `));
  const group = typed !== '' && elsewhere.some((each) => each.startsWith(`${typed} `)) ? typed : undefined;
  const found = name ?? group;
  return found === undefined ? null : `/${found} works on Discord only; type /help for what works here.`;
}

function unknown(typed: string, path: readonly string[]): string {
  const lastOf = (name: string) => path.length === 1 && name.split(' ').at(-1) === typed;
  const leaves = FAREWELLS.includes(typed) ? 'quit' : null;
  const meant = leaves ?? near(typed, [...names, 'quit']) ?? names.find(lastOf);
  const mend = meant === undefined ? 'type /help for the list.' : `did you mean /${meant}?`;
  return `There is no command /${typed.slice(0, 60)}; ${mend}`;
}
