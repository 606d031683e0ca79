import { CommandError } from '../conversation/errors.js';
import { nearest } from '../conversation/nearest.js';
import type { CommandSpec, OptionSpec } from './commands.js';

/** Options of a command as they were given: text from a terminal, typed values from a platform. */
export type GivenOptions = readonly (readonly [name: string, value: string | number])[];

/** Options that satisfy the table. */
export type OptionValues = Record<string, string | number>;

/**
 * Checks given options against a command of the table.
 * @throws {CommandError} `bad-option` with one sentence that names the option, its range and the mend.
 */
export function checkOptions(spec: CommandSpec, given: GivenOptions): OptionValues {
  const values: OptionValues = {};
  for (const [name, value] of given) {
    const option = spec.options.find((candidate) => candidate.name === name);
    if (option === undefined) throw unknownOption(name, spec);
    if (name in values) throw bad(`${name} is given twice; give it once.`);
    const text = option.type === 'string' || option.type === 'attachment';
    values[name] = text ? stringValue(option, value) : numberValue(option, value);
  }
  const missing = spec.options.find((option) => option.required === true && !(option.name in values));
  if (missing !== undefined) throw bad(`${missing.name} is missing; add ${missing.name}:${rangeOf(missing)}.`);
  return values;
}

/** The candidate that a word is a slip of, or null: a short word has less room for slips than a long one. */
export function near(word: string, candidates: readonly string[]): string | null {
  return nearest(word, candidates, Math.min(3, Math.floor(word.length / 2)));
}

/** The values that an option takes, for help and errors: `0–500` or `messages|turns`. */
export function rangeOf(option: OptionSpec): string {
  if (option.choices !== undefined) return option.choices.join('|');
  const format = (n: number) => n.toLocaleString('en-US');
  return option.min === undefined || option.max === undefined ? 'text' : `${format(option.min)}–${format(option.max)}`;
}

function numberValue(option: OptionSpec, value: string | number): number {
  const whole = option.type === 'integer';
  const number = typeof value === 'number' ? value : /^-?\d+(?:\.\d+)?$/u.test(value) ? Number(value) : Number.NaN;
  const fits = whole ? Number.isSafeInteger(number) : Number.isFinite(number);
  const inside = number >= (option.min ?? -Infinity) && number <= (option.max ?? Infinity);
  if (!fits || !inside) throw bad(`${option.name} must be a ${whole ? 'whole ' : ''}number in ${rangeOf(option)}.`);
  return number;
}

function stringValue(option: OptionSpec, value: string | number): string {
  const text = String(value);
  if (text.length > (option.maxLength ?? Infinity)) {
    throw bad(`${option.name} must have at most ${option.maxLength?.toLocaleString('en-US')} characters; shorten it.`);
  }
  if (option.choices === undefined || option.choices.includes(text)) return text;
  const meant = near(text, option.choices);
  throw bad(
    `${option.name} must be ${option.choices.join(', ').replace(/, (\S+)$/u, ' or $1')}${meant ? `; did you mean ${meant}?` : '.'}`,
  );
}

function unknownOption(name: string, spec: CommandSpec): CommandError {
  const names = spec.options.map((option) => option.name);
  const meant = near(name, names);
  const mend =
    names.length === 0
      ? 'this command takes none'
      : meant !== null
        ? `did you mean ${meant}?`
        : `it takes ${names.join(', ')}`;
  return bad(`There is no option ${name.slice(0, 40)}; ${mend}.`.replace('?.', '?'));
}

function bad(sentence: string): CommandError {
  return new CommandError('bad-option', sentence);
}
