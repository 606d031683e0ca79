import { closestMatch } from '../conversation/closest-match.js';
import { badOption, type CommandError } from '../conversation/errors.js';
import type { StrategyName } from '../conversation/settings.js';
import { type ChoiceOption, type NumberOption, STRATEGY_OPTIONS } from '../memory/strategy-options.js';

/** The platforms that offer commands. */
type CommandPlatform = 'discord' | 'terminal';

/** One option of a command, with the range that every platform checks. */
export type OptionSpec = {
  name: string;
  type: 'integer' | 'number' | 'string' | 'attachment';
  required?: boolean;
  min?: number;
  max?: number;
  /** The most characters of a text. */
  maxLength?: number;
  choices?: readonly string[];
  /** The platform suggests values while one types. */
  suggested?: boolean;
};

/** One command: its path of words, its options, and the platforms that offer it. Descriptions are in the message catalogue. */
export type CommandSpec = {
  path: readonly string[];
  options: readonly OptionSpec[];
  platforms: readonly CommandPlatform[];
};

/** The most characters of a question given as an option, which is Discord's own limit for the text of an option. */
export const MAX_QUESTION_LENGTH = 6_000;

/** The settings that `/settings` changes, in the order in which they are shown. */
export const SETTING_NAMES = ['persona', 'model', 'temperature', 'listen', 'respond', 'vision', 'language'] as const;

const choice = (name: string, ...choices: string[]): OptionSpec => ({ name, type: 'string', choices });
const required = (option: OptionSpec): OptionSpec => ({ ...option, required: true });
const scope = choice('scope', 'server', 'channel');
const everywhere = ['discord', 'terminal'] as const;
const discord = ['discord'] as const;

/** Takes the ranges from the strategy's own options; `k` alone is required. */
function strategyOptions(strategy: StrategyName): OptionSpec[] {
  const specs = Object.entries(STRATEGY_OPTIONS[strategy]).map(
    ([name, option]: [string, NumberOption | ChoiceOption]) =>
      'choices' in option
        ? choice(name, ...option.choices)
        : { name, type: 'integer' as const, min: option.min, max: option.max, required: name === 'k' },
  );
  return [...specs, scope];
}

/** The option that sets a value has the setting's own name. */
function settingOptions(option: OptionSpec): OptionSpec[] {
  return [required(option), scope];
}

const dailyTokens = (name: string): OptionSpec => ({ name, type: 'integer', min: 1_000, max: 1_000_000_000 });
const days: OptionSpec = { name: 'days', type: 'integer', min: 1, max: 30 };
const model: OptionSpec = { name: 'model', type: 'string', maxLength: 100, suggested: true };
const temperature: OptionSpec = { name: 'temperature', type: 'number', min: 0, max: 2 };
const message: OptionSpec = { name: 'message', type: 'string', maxLength: MAX_QUESTION_LENGTH };
const file: OptionSpec = { name: 'file', type: 'attachment' };

/** Every command, in the order in which help lists them; the platforms render this table. */
export const commandTable = [
  { path: ['memory', 'strategy', 'buffer'], options: strategyOptions('buffer'), platforms: everywhere },
  { path: ['memory', 'strategy', 'window'], options: strategyOptions('window'), platforms: everywhere },
  { path: ['memory', 'strategy', 'token-buffer'], options: strategyOptions('token-buffer'), platforms: everywhere },
  { path: ['memory', 'strategy', 'summary'], options: strategyOptions('summary'), platforms: everywhere },
  { path: ['memory', 'strategy', 'summary-buffer'], options: strategyOptions('summary-buffer'), platforms: everywhere },
  { path: ['memory', 'strategy', 'inherit'], options: [scope], platforms: everywhere },
  { path: ['memory', 'show'], options: [], platforms: everywhere },
  { path: ['memory', 'summarize'], options: [], platforms: everywhere },
  { path: ['memory', 'forget'], options: [required(choice('what', 'session', 'me', 'last'))], platforms: everywhere },
  { path: ['memory', 'export'], options: [], platforms: discord },
  { path: ['memory', 'import'], options: [required(file)], platforms: discord },
  { path: ['settings', 'show'], options: [], platforms: discord },
  { path: ['settings', 'persona'], options: [scope], platforms: discord },
  { path: ['settings', 'model'], options: settingOptions(model), platforms: discord },
  { path: ['settings', 'temperature'], options: settingOptions(temperature), platforms: discord },
  { path: ['settings', 'listen'], options: settingOptions(choice('listen', 'addressed', 'all')), platforms: discord },
  {
    path: ['settings', 'respond'],
    options: settingOptions(choice('respond', 'addressed', 'always')),
    platforms: discord,
  },
  { path: ['settings', 'vision'], options: settingOptions(choice('vision', 'on', 'off')), platforms: discord },
  {
    path: ['settings', 'language'],
    options: settingOptions(choice('language', 'auto', 'en', 'zh-CN', 'zh-TW')),
    platforms: discord,
  },
  {
    path: ['settings', 'reset'],
    options: [required(choice('setting', ...SETTING_NAMES, 'everything')), scope],
    platforms: discord,
  },
  { path: ['chat'], options: [required(message)], platforms: discord },
  { path: ['budget', 'show'], options: [], platforms: discord },
  {
    path: ['budget', 'set'],
    options: [dailyTokens('server_tokens'), dailyTokens('person_tokens')],
    platforms: discord,
  },
  { path: ['budget', 'reset'], options: [], platforms: discord },
  { path: ['usage'], options: [choice('by', 'person', 'channel', 'day'), days], platforms: discord },
  { path: ['privacy'], options: [], platforms: discord },
  { path: ['help'], options: [], platforms: everywhere },
] as const satisfies readonly CommandSpec[];

/** The full name of a command in the table, such as `memory strategy window`. */
export type CommandName = (typeof commandTable)[number] extends infer Spec
  ? Spec extends { path: readonly [infer A extends string] }
    ? A
    : Spec extends { path: readonly [infer A extends string, infer B extends string] }
      ? `${A} ${B}`
      : Spec extends { path: readonly [infer A extends string, infer B extends string, infer C extends string] }
        ? `${A} ${B} ${C}`
        : never
  : never;

/** Joins a command's path to its full name, its key in the message catalogue. */
export function commandName(spec: CommandSpec): CommandName {
  return spec.path.join(' ') as CommandName;
}

/** Lists the commands that a platform offers, in the order of the table. */
export function commandsOf(platform: CommandPlatform): CommandSpec[] {
  const table: readonly CommandSpec[] = commandTable;
  return table.filter((spec) => spec.platforms.includes(platform));
}

/** Options as a platform received them: texts from a terminal, typed values from Discord. */
export type RawOptions = readonly (readonly [name: string, value: string | number])[];

/** Options that were checked against the table. */
export type OptionValues = Record<string, string | number>;

/**
 * Checks options against a command of the table.
 * @throws {CommandError} `bad-option` with one sentence that names the option, its range and the remedy.
 */
export function checkOptions(spec: CommandSpec, options: RawOptions): OptionValues {
  const values: OptionValues = {};
  for (const [name, value] of options) {
    const option = spec.options.find((candidate) => candidate.name === name);
    if (option === undefined) throw unknownOption(name, spec);
    if (name in values) throw badOption(`${name} is given twice; give it once.`);
    const isText = option.type === 'string' || option.type === 'attachment';
    values[name] = isText ? stringValue(option, value) : numberValue(option, value);
  }
  const missing = spec.options.find((option) => option.required === true && !(option.name in values));
  if (missing !== undefined) throw badOption(`${missing.name} is missing; add ${missing.name}:${rangeOf(missing)}.`);
  return values;
}

/** Finds the candidate that a word is a typo of, or null; fewer edits are allowed in short words. */
export function closestWord(word: string, candidates: readonly string[]): string | null {
  return closestMatch(word, candidates, Math.min(3, Math.floor(word.length / 2)));
}

/** Formats the values that an option takes, for help and errors: `0–500` or `messages|turns`. */
export function rangeOf(option: OptionSpec): string {
  if (option.choices !== undefined) return option.choices.join('|');
  const format = (n: number) => n.toLocaleString('en-US');
  return option.min === undefined || option.max === undefined ? 'text' : `${format(option.min)}–${format(option.max)}`;
}

function numberValue(option: OptionSpec, value: string | number): number {
  const isInteger = option.type === 'integer';
  const number = typeof value === 'number' ? value : /^-?\d+(?:\.\d+)?$/u.test(value) ? Number(value) : Number.NaN;
  const fits = isInteger ? Number.isSafeInteger(number) : Number.isFinite(number);
  const inRange = number >= (option.min ?? -Infinity) && number <= (option.max ?? Infinity);
  if (!fits || !inRange)
    throw badOption(`${option.name} must be a ${isInteger ? 'whole ' : ''}number in ${rangeOf(option)}.`);
  return number;
}

function stringValue(option: OptionSpec, value: string | number): string {
  const text = String(value);
  if (text.length > (option.maxLength ?? Infinity)) {
    throw badOption(
      `${option.name} must have at most ${option.maxLength?.toLocaleString('en-US')} characters; shorten it.`,
    );
  }
  if (option.choices === undefined || option.choices.includes(text)) return text;
  const meant = closestWord(text, option.choices);
  throw badOption(
    `${option.name} must be ${option.choices.join(', ').replace(/, (\S+)$/u, ' or $1')}${meant ? `; did you mean ${meant}?` : '.'}`,
  );
}

function unknownOption(name: string, spec: CommandSpec): CommandError {
  const names = spec.options.map((option) => option.name);
  const meant = closestWord(name, names);
  const hint =
    names.length === 0
      ? 'this command takes none'
      : meant !== null
        ? `did you mean ${meant}?`
        : `it takes ${names.join(', ')}`;
  return badOption(`There is no option ${name.slice(0, 40)}; ${hint}.`.replace('?.', '?'));
}
