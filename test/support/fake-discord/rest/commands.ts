import type { APIApplicationCommand } from 'discord.js';
import { OPTION_TYPE } from '../shared/constants.js';
import { asObject, asObjects, asString, type Json } from '../shared/json.js';
import {
  ApiError,
  apiError,
  type Call,
  checkLength,
  checkMaxCount,
  guildOf,
  invalidForm,
  NO_CONTENT,
  ok,
  type RestResponse,
  type Route,
} from './call.js';

const COMMAND_PATHS = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];

/** The endpoints of application commands, global ones and a guild's. */
export const COMMAND_ROUTES: readonly Route[] = COMMAND_PATHS.flatMap((commands) => [
  { method: 'GET', pattern: commands, handle: getCommands },
  { method: 'PUT', pattern: commands, handle: bulkOverwriteCommands },
  { method: 'POST', pattern: commands, handle: createCommand },
  { method: 'GET', pattern: `${commands}/:command`, handle: (call: Call) => ok(getCommand(call)) },
  { method: 'PATCH', pattern: `${commands}/:command`, handle: editCommand },
  { method: 'DELETE', pattern: `${commands}/:command`, handle: deleteCommand },
]);

function commandsInScope(call: Call): { scope: string; commands: APIApplicationCommand[] } {
  const { core, params } = call;
  if (params.application !== core.world.applicationId) throw apiError('missingAccess');
  const scope = params.guild === undefined ? 'global' : guildOf(call).id;
  return { scope, commands: core.world.commands.get(scope) ?? [] };
}

function getCommands(call: Call): RestResponse {
  return ok(commandsInScope(call).commands);
}

function getCommand(call: Call): APIApplicationCommand {
  const command = commandsInScope(call).commands.find(({ id }) => id === call.params.command);
  if (command === undefined) throw apiError('unknownCommand');
  return command;
}

function bulkOverwriteCommands(call: Call): RestResponse {
  const { scope, commands } = commandsInScope(call);
  const forms = asObjects(call.body);
  checkCommands(forms);
  const registered = forms.map((form) => registeredCommand(call, form, commands));
  call.core.world.commands.set(scope, registered);
  return ok(registered);
}

function createCommand(call: Call): RestResponse {
  const { scope, commands } = commandsInScope(call);
  checkCommand(call.form, '');
  const command = registeredCommand(call, call.form, commands);
  const others = commands.filter(({ id }) => id !== command.id);
  call.core.world.commands.set(scope, [...others, command]);
  return { status: others.length === commands.length ? 201 : 200, json: command };
}

function editCommand(call: Call): RestResponse {
  const command = getCommand(call);
  const edited = { ...asObject(command), ...call.form };
  checkCommand(edited, '');
  Object.assign(command, edited, { version: call.core.snowflake() });
  return ok(command);
}

function deleteCommand(call: Call): RestResponse {
  const command = getCommand(call);
  const { scope, commands } = commandsInScope(call);
  call.core.world.commands.set(
    scope,
    commands.filter((each) => each !== command),
  );
  return NO_CONTENT;
}

/** Builds a registered command. One of the same type and name keeps its id, as at Discord. */
function registeredCommand(
  { core, params }: Call,
  form: Json,
  before: readonly APIApplicationCommand[],
): APIApplicationCommand {
  const type = form.type ?? CHAT_INPUT;
  const existing = before.find((command) => command.type === type && command.name === form.name);
  return {
    default_member_permissions: null,
    description: '',
    name_localizations: null,
    description_localizations: null,
    nsfw: false,
    integration_types: [0],
    contexts: null,
    ...(params.guild === undefined ? {} : { guild_id: params.guild }),
    ...Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined)),
    type,
    id: existing?.id ?? core.snowflake(),
    application_id: core.world.applicationId,
    version: core.snowflake(),
  } as unknown as APIApplicationCommand;
}

const COMMAND_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const CHAT_INPUT = 1;
const MAX_COMMAND_CHARACTERS = 8000;
/** By command type. */
const MAX_COMMANDS: Record<number, number> = { 1: 100, 2: 15, 3: 15 };

/** Validates a scope's commands: each, their names and their number. @throws {ApiError} 50035, 30032 */
function checkCommands(forms: readonly Json[]): void {
  for (const [at, form] of forms.entries()) checkCommand(form, `${at}.`);
  const names = forms.map(({ type, name }) => `${type ?? CHAT_INPUT} ${name}`);
  const duplicate = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (duplicate >= 0) {
    const text = 'Application command names must be unique';
    throw invalidForm(`${duplicate}`, 'APPLICATION_COMMANDS_DUPLICATE_NAME', text);
  }
  for (const [type, max] of Object.entries(MAX_COMMANDS)) {
    const count = forms.filter((form) => (form.type ?? CHAT_INPUT) === Number(type)).length;
    if (count > max) throw new ApiError(400, 30032, `Maximum number of application commands reached (${max}).`);
  }
}

/** Validates a command by the documented limits. `path` leads to it in form errors. @throws {ApiError} 50035 */
function checkCommand(form: Json, path: string): void {
  if ((form.type ?? CHAT_INPUT) !== CHAT_INPUT) {
    checkLength(`${path}name`, form.name, 1, 32);
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
  checkLength(`${path}name`, form.name, 1, 32);
  const names = [form.name, ...Object.values(asObject(form.name_localizations))].map(String);
  const invalid = names.find((name) => !COMMAND_NAME.test(name) || name !== name.toLowerCase());
  if (invalid !== undefined) {
    throw invalidForm(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', `Command name "${invalid}" is invalid`);
  }
  checkLength(`${path}description`, form.description, 1, 100);
  for (const text of Object.values(asObject(form.description_localizations))) {
    checkLength(`${path}description_localizations`, text, 1, 100);
  }
}

function checkOptions(options: readonly Json[], path: string, depth: number): void {
  checkMaxCount(path, options, 25);
  const names = options.map(({ name }) => String(name));
  if (new Set(names).size < names.length) {
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists');
  }
  const nesting = options.filter(isNesting).length;
  if (nesting > 0 && nesting < options.length) {
    const text = 'Sub-command and sub-command group option types are mutually exclusive to all other types';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', text);
  }
  const firstOptional = options.findIndex(({ required }) => required !== true);
  if (firstOptional >= 0 && options.slice(firstOptional).some(({ required }) => required === true)) {
    const text = 'Required options must be placed before non-required options';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', text);
  }
  for (const [at, option] of options.entries()) checkOption(option, `${path}.${at}`, depth);
}

function isNesting({ type }: Json): boolean {
  return type === OPTION_TYPE.subcommand || type === OPTION_TYPE.subcommandGroup;
}

function checkOption(option: Json, path: string, depth: number): void {
  checkNameAndDescription(option, `${path}.`);
  const { type } = option;
  if ((type === OPTION_TYPE.subcommandGroup && depth > 0) || (type === OPTION_TYPE.subcommand && depth > 1)) {
    throw invalidForm(`${path}.type`, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Invalid nesting of sub-commands');
  }
  if (isNesting(option))
    checkOptions(asObjects(option.options), `${path}.options`, type === OPTION_TYPE.subcommandGroup ? 1 : 2);
  else checkChoices(option, path);
}

function checkChoices(option: Json, path: string): void {
  const choices = asObjects(option.choices);
  checkMaxCount(`${path}.choices`, choices, 25);
  if (choices.length > 0 && option.autocomplete === true) {
    const text = 'Choices and autocomplete exclude each other';
    throw invalidForm(path, 'APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE', text);
  }
  for (const [at, { name, value }] of choices.entries()) {
    checkLength(`${path}.choices.${at}.name`, name, 1, 100);
    if (typeof value === 'string') checkLength(`${path}.choices.${at}.value`, value, 1, 100);
  }
}

/** Counts the characters of names, descriptions and values; of a localized text those of its longest version. */
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
