import { ApiError, invalidForm } from '../api-error.js';
import { OPTION } from '../constants.js';
import { asObject, asObjects, asString, type Json } from '../json.js';
import { between, noMoreThan } from './limits.js';

const COMMAND_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const CHAT_INPUT = 1;
const MAX_COMMAND_CHARACTERS = 8000;
const MAX_COMMANDS: Record<number, number> = { 1: 100, 2: 15, 3: 15 };

/** Checks a whole set of commands: each for itself, no name twice, not too many. @throws {ApiError} 50035, 30032 */
export function checkCommands(forms: readonly Json[]): void {
  for (const [at, form] of forms.entries()) checkCommand(form, `${at}.`);
  const names = forms.map(({ type, name }) => `${type ?? CHAT_INPUT} ${name}`);
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (twice >= 0) {
    const text = 'Application command names must be unique';
    throw invalidForm(`${twice}`, 'APPLICATION_COMMANDS_DUPLICATE_NAME', text);
  }
  for (const [type, most] of Object.entries(MAX_COMMANDS)) {
    const count = forms.filter((form) => (form.type ?? CHAT_INPUT) === Number(type)).length;
    if (count > most) throw new ApiError(400, 30032, `Maximum number of application commands reached (${most}).`);
  }
}

/** Checks one command against the documented limits; `path` leads to it in errors. */
export function checkCommand(form: Json, path: string): void {
  if ((form.type ?? CHAT_INPUT) !== CHAT_INPUT) {
    between(`${path}name`, form.name, 1, 32);
    if (form.description)
      throw invalidForm(
        `${path}description`,
        'APPLICATION_COMMAND_INVALID_DESCRIPTION',
        'Context menu commands cannot have description',
      );
    return;
  }
  checkNameAndDescription(form, path);
  checkOptions(asObjects(form.options), `${path}options`, 0);
  if (countCharacters(form) > MAX_COMMAND_CHARACTERS) {
    const text = `Command exceeds maximum size (${MAX_COMMAND_CHARACTERS})`;
    throw invalidForm(`${path}name`, 'APPLICATION_COMMAND_TOO_LARGE', text);
  }
}

function checkNameAndDescription(form: Json, path: string): void {
  between(`${path}name`, form.name, 1, 32);
  const names = [form.name, ...Object.values(asObject(form.name_localizations))].map(String);
  const wrong = names.find((name) => !COMMAND_NAME.test(name) || name !== name.toLowerCase());
  if (wrong !== undefined) {
    throw invalidForm(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', `Command name "${wrong}" is invalid`);
  }
  between(`${path}description`, form.description, 1, 100);
  for (const text of Object.values(asObject(form.description_localizations))) {
    between(`${path}description_localizations`, text, 1, 100);
  }
}

function checkOptions(options: readonly Json[], path: string, depth: number): void {
  noMoreThan(path, options, 25);
  const names = options.map(({ name }) => String(name));
  if (new Set(names).size < names.length) {
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists');
  }
  const nesting = options.filter(isNesting).length;
  if (nesting > 0 && nesting < options.length) {
    const text = 'Sub-command and sub-command group option types are mutually exclusive to all other types';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', text);
  }
  const optional = options.findIndex(({ required }) => required !== true);
  if (optional >= 0 && options.slice(optional).some(({ required }) => required === true)) {
    const text = 'Required options must be placed before non-required options';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', text);
  }
  for (const [at, option] of options.entries()) checkOption(option, `${path}.${at}`, depth);
}

function isNesting({ type }: Json): boolean {
  return type === OPTION.subcommand || type === OPTION.group;
}

function checkOption(option: Json, path: string, depth: number): void {
  checkNameAndDescription(option, `${path}.`);
  const { type } = option;
  if ((type === OPTION.group && depth > 0) || (type === OPTION.subcommand && depth > 1)) {
    throw invalidForm(`${path}.type`, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Invalid nesting of sub-commands');
  }
  if (isNesting(option)) checkOptions(asObjects(option.options), `${path}.options`, type === OPTION.group ? 1 : 2);
  else checkChoices(option, path);
}

function checkChoices(option: Json, path: string): void {
  const choices = asObjects(option.choices);
  noMoreThan(`${path}.choices`, choices, 25);
  if (choices.length > 0 && option.autocomplete === true) {
    const text = 'Choices and autocomplete exclude each other';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE', text);
  }
  for (const [at, { name, value }] of choices.entries()) {
    between(`${path}.choices.${at}.name`, name, 1, 100);
    if (typeof value === 'string') between(`${path}.choices.${at}.value`, value, 1, 100);
  }
}

/** Characters of names, descriptions and values; of each localised text the longest version counts. */
function countCharacters(form: Json): number {
  const longest = (text: unknown, localized: unknown) => {
    return Math.max(...[text, ...Object.values(asObject(localized))].map((each) => (asString(each) ?? '').length));
  };
  const own =
    longest(form.name, form.name_localizations) +
    longest(form.description, form.description_localizations) +
    (asString(form.value) ?? '').length;
  return [...asObjects(form.options), ...asObjects(form.choices)].reduce(
    (sum, inner) => sum + countCharacters(inner),
    own,
  );
}
