import type { APIApplicationCommand } from 'discord.js';
import { type FileDraft, storeFile } from '../changes/messages.js';
import type { Ref } from '../shared/clock.js';
import { OPTION_TYPE } from '../shared/constants.js';
import { asNumber, asObjects, type Json } from '../shared/json.js';
import { ALL_PERMISSIONS, allows } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import { channelJson, memberJson, roleJson, userJson } from '../state/discord-objects.js';
import type { FakeChannel, FakeUser } from '../state/world.js';

/** Values of a command's options by name; users, roles and channels as objects, attachments as files. */
export type OptionValues = Record<string, string | number | boolean | Ref | FileDraft>;

type CommandData = { options?: Json[]; resolved?: Record<string, Json> };

/** What the user types: subcommand group and subcommand, option values, and for autocomplete the option being typed. */
type CommandInput = { subcommands: readonly string[]; values: OptionValues; focused: string | undefined };

/**
 * Builds a command's interaction data as Discord's client does. @throws if the client would not let the user send it.
 */
export function fillCommand(
  core: Core,
  channel: FakeChannel,
  command: APIApplicationCommand,
  input: CommandInput,
): CommandData {
  const resolved: Record<string, Json> = {};
  const options = fillOptions(core, channel, asObjects(command.options), input, resolved, command.name);
  return { ...(options.length === 0 ? {} : { options }), ...(Object.keys(resolved).length === 0 ? {} : { resolved }) };
}

function fillOptions(
  core: Core,
  channel: FakeChannel,
  options: Json[],
  input: CommandInput,
  resolved: Record<string, Json>,
  path: string,
): Json[] {
  const [subcommand, ...rest] = input.subcommands;
  const nested = options.filter(({ type }) => type === OPTION_TYPE.subcommand || type === OPTION_TYPE.subcommandGroup);
  if (subcommand === undefined && nested.length > 0) {
    throw new Error(`/${path} needs one of: ${nested.map(({ name }) => name).join(', ')}`);
  }
  if (subcommand !== undefined) {
    const option = nested.find(({ name }) => name === subcommand);
    if (option === undefined) throw new Error(`/${path} has no subcommand ${subcommand}`);
    const filled = fillOptions(
      core,
      channel,
      asObjects(option.options),
      { ...input, subcommands: rest },
      resolved,
      `${path} ${subcommand}`,
    );
    return [{ type: option.type, name: subcommand, options: filled }];
  }
  const { values, focused } = input;
  const unknown = Object.keys(values).find((name) => !options.some((option) => option.name === name));
  if (unknown !== undefined) throw new Error(`/${path} has no option ${unknown}`);
  const missing = options.find(({ name, required }) => required === true && values[String(name)] === undefined);
  if (missing !== undefined && focused === undefined) throw new Error(`/${path} needs ${missing.name}`);
  return options
    .filter(({ name }) => values[String(name)] !== undefined)
    .map((option) => fillOption(core, channel, option, values[String(option.name)]!, focused, resolved));
}

function fillOption(
  core: Core,
  channel: FakeChannel,
  option: Json,
  value: OptionValues[string],
  focused: string | undefined,
  resolved: Record<string, Json>,
): Json {
  const { name, type } = option;
  if (focused !== undefined) return { type, name, value, ...(name === focused ? { focused: true } : {}) };
  if (typeof value === 'object')
    return { type, name, value: resolveOption(core, channel, Number(type), value, resolved) };
  checkOptionValue(option, value);
  return { type, name, value };
}

function checkOptionValue(option: Json, value: string | number | boolean): void {
  const types: Record<number, string> = { 3: 'string', 4: 'number', 5: 'boolean', 10: 'number' };
  const invalid = (why: string) => new Error(`option ${option.name}: ${JSON.stringify(value)} ${why}`);
  if (typeof value !== types[Number(option.type)]) throw invalid(`is not of option type ${option.type}`);
  if (option.type === OPTION_TYPE.integer && !Number.isInteger(value)) throw invalid('is no integer');
  const choices = asObjects(option.choices);
  if (choices.length > 0 && !choices.some((choice) => choice.value === value))
    throw invalid('is not one of the choices');
  const size = typeof value === 'string' ? value.length : Number(value);
  const [min, max] =
    typeof value === 'string' ? [option.min_length, option.max_length] : [option.min_value, option.max_value];
  if (size < (asNumber(min) ?? -Infinity)) throw invalid(`is below ${min}`);
  if (size > (asNumber(max) ?? (typeof value === 'string' ? 6000 : Infinity))) throw invalid(`is above ${max}`);
}

/** Adds an entity to the interaction's resolved data. @returns its id, the option's value */
function resolveOption(
  core: Core,
  channel: FakeChannel,
  type: number,
  value: Ref | FileDraft,
  resolved: Record<string, Json>,
): string {
  const { world } = core;
  const guild = world.guilds.get(channel.guildId ?? '');
  const addResolved = (kind: string, id: string, json: unknown) => {
    resolved[kind] = { ...resolved[kind], [id]: json };
  };
  if ('bytes' in value) {
    const attachment = storeFile(core, channel.id, value, true);
    addResolved('attachments', attachment.id, attachment);
    return attachment.id;
  }
  const { id } = value;
  const role = guild?.roles.get(id);
  if (type === OPTION_TYPE.role || (type === OPTION_TYPE.mentionable && role !== undefined)) {
    if (role === undefined) throw new Error(`no role ${id} in this guild`);
    addResolved('roles', id, roleJson(role));
  } else if (type === OPTION_TYPE.channel) {
    const permissions = String(world.permissionsIn(world.channel(value), world.bot.id));
    addResolved('channels', id, { ...channelJson(world, world.channel(value)), permissions });
  } else {
    addResolved('users', id, userJson(world.user(value)));
    const member = guild?.members.get(id);
    if (member !== undefined)
      addResolved('members', id, { ...memberJson(member), permissions: String(world.permissionsIn(channel, id)) });
  }
  return id;
}

/** Finds a registered command. @throws if Discord would not offer it to this user in this channel, unless `force`. */
export function offeredCommand(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  type: number,
  name: string,
  force: boolean,
) {
  const { world } = core;
  const guild = world.guilds.get(channel.guildId ?? '');
  const registered = [...(world.commands.get(guild?.id ?? '') ?? []), ...(world.commands.get('global') ?? [])];
  const command = registered.find((each) => each.name === name && Number(each.type) === type);
  if (command === undefined) {
    const names = registered.map((each) => each.name).join(', ') || 'none';
    throw new Error(`no command ${name} is registered here (registered: ${names})`);
  }
  if (!force) checkOffered(core, user, channel, command);
  return command;
}

function checkOffered(core: Core, user: FakeUser, channel: FakeChannel, command: APIApplicationCommand): void {
  const { world } = core;
  const notOffered = (why: string) => new Error(`Discord does not offer /${command.name} to ${user.name} here: ${why}`);
  const context = channel.guildId === null ? 1 : 0;
  const contexts = (command.contexts ?? null) as number[] | null;
  if (contexts !== null && !contexts.includes(context)) throw notOffered(`contexts are ${contexts.join()}`);
  if (channel.guildId === null) return;
  const permissions = world.permissionsIn(channel, user.id);
  if (!allows(permissions, 'UseApplicationCommands'))
    throw notOffered('no right to use commands or to see the channel');
  const needed = command.default_member_permissions;
  if (needed === null || needed === undefined || permissions === ALL_PERMISSIONS) return;
  if (needed === '0' || (permissions & BigInt(needed)) !== BigInt(needed))
    throw notOffered('default_member_permissions');
}
