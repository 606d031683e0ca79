import type { APIApplicationCommand } from 'discord.js';
import { refuse } from '../api-error.js';
import { asObject, asObjects, type Json } from '../json.js';
import { guildOf } from './access.js';
import { type Call, NO_CONTENT, ok, type RestResponse, type Route } from './call.js';
import { checkCommand, checkCommands } from './command-form.js';

const COMMAND_PATHS = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];

/** Registering commands, for everybody or for one guild. */
export const COMMAND_ROUTES: readonly Route[] = COMMAND_PATHS.flatMap((home) => [
  { method: 'GET', pattern: home, handle: getCommands },
  { method: 'PUT', pattern: home, handle: bulkOverwriteCommands },
  { method: 'POST', pattern: home, handle: createCommand },
  { method: 'GET', pattern: `${home}/:command`, handle: (call: Call) => ok(getCommand(call)) },
  { method: 'PATCH', pattern: `${home}/:command`, handle: editCommand },
  { method: 'DELETE', pattern: `${home}/:command`, handle: deleteCommand },
]);

function commandsInScope(call: Call): { scope: string; commands: APIApplicationCommand[] } {
  const { core, params } = call;
  if (params.application !== core.world.applicationId) throw refuse('missingAccess');
  const scope = params.guild === undefined ? 'global' : guildOf(call).id;
  return { scope, commands: core.world.commands.get(scope) ?? [] };
}

function getCommands(call: Call): RestResponse {
  return ok(commandsInScope(call).commands);
}

function getCommand(call: Call): APIApplicationCommand {
  const command = commandsInScope(call).commands.find(({ id }) => id === call.params.command);
  if (command === undefined) throw refuse('unknownCommand');
  return command;
}

function bulkOverwriteCommands(call: Call): RestResponse {
  const { scope, commands } = commandsInScope(call);
  const forms = asObjects(call.body);
  checkCommands(forms);
  const kept = forms.map((form) => registeredCommand(call, form, commands));
  call.core.world.commands.set(scope, kept);
  return ok(kept);
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
  const whole = { ...asObject(command), ...call.form };
  checkCommand(whole, '');
  Object.assign(command, whole, { version: call.core.snowflake() });
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

/** A command of the same type and name keeps its id, as Discord does it. */
function registeredCommand(
  { core, params }: Call,
  form: Json,
  before: readonly APIApplicationCommand[],
): APIApplicationCommand {
  const type = form.type ?? 1;
  const known = before.find((command) => command.type === type && command.name === form.name);
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
    id: known?.id ?? core.snowflake(),
    application_id: core.world.applicationId,
    version: core.snowflake(),
  } as unknown as APIApplicationCommand;
}
