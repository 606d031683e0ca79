import type { APIApplicationCommand } from 'discord.js';
import { refuse } from '../api-error.js';
import { asObject, asObjects, type Json } from '../json.js';
import { guildOf } from './access.js';
import { type Answer, type Call, NO_CONTENT, ok, type Route } from './call.js';
import { checkCommand, checkCommands } from './command-form.js';

const HOMES = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];

/** Registering commands, for everybody or for one guild. */
export const COMMAND_ROUTES: readonly Route[] = HOMES.flatMap((home) => [
  { method: 'GET', pattern: home, handle: list },
  { method: 'PUT', pattern: home, handle: replaceAll },
  { method: 'POST', pattern: home, handle: upsert },
  { method: 'GET', pattern: `${home}/:command`, handle: (call: Call) => ok(find(call)) },
  { method: 'PATCH', pattern: `${home}/:command`, handle: change },
  { method: 'DELETE', pattern: `${home}/:command`, handle: remove },
]);

function stored(call: Call): { scope: string; commands: APIApplicationCommand[] } {
  const { core, params } = call;
  if (params.application !== core.world.applicationId) throw refuse('missingAccess');
  const scope = params.guild === undefined ? 'global' : guildOf(call).id;
  return { scope, commands: core.world.commands.get(scope) ?? [] };
}

function list(call: Call): Answer {
  return ok(stored(call).commands);
}

function find(call: Call): APIApplicationCommand {
  const command = stored(call).commands.find(({ id }) => id === call.params.command);
  if (command === undefined) throw refuse('unknownCommand');
  return command;
}

function replaceAll(call: Call): Answer {
  const { scope, commands } = stored(call);
  const forms = asObjects(call.body);
  checkCommands(forms);
  const kept = forms.map((form) => register(call, form, commands));
  call.core.world.commands.set(scope, kept);
  return ok(kept);
}

function upsert(call: Call): Answer {
  const { scope, commands } = stored(call);
  checkCommand(call.form, '');
  const command = register(call, call.form, commands);
  const others = commands.filter(({ id }) => id !== command.id);
  call.core.world.commands.set(scope, [...others, command]);
  return { status: others.length === commands.length ? 201 : 200, json: command };
}

function change(call: Call): Answer {
  const command = find(call);
  const whole = { ...asObject(command), ...call.form };
  checkCommand(whole, '');
  Object.assign(command, whole, { version: call.core.snowflake() });
  return ok(command);
}

function remove(call: Call): Answer {
  const command = find(call);
  const { scope, commands } = stored(call);
  call.core.world.commands.set(
    scope,
    commands.filter((each) => each !== command),
  );
  return NO_CONTENT;
}

/** A command of the same type and name keeps its id, as Discord does it. */
function register({ core, params }: Call, form: Json, before: readonly APIApplicationCommand[]): APIApplicationCommand {
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
