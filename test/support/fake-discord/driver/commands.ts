import type { APIApplicationCommand } from 'discord.js';
import { type FileDraft, storeFile } from '../changes/messages.js';
import type { Ref } from '../shared/clock.js';
import { OPTION_TYPE } from '../shared/constants.js';
import { asNumber, asObjects, asString, type Json } from '../shared/json.js';
import { ALL_PERMISSIONS, allows } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import { channelJson, memberJson, roleJson, userJson } from '../state/discord-objects.js';
import type { FakeChannel, FakeUser } from '../state/world.js';

/** What a user types into a command's options, by option name; users, roles and channels as themselves. */
export type OptionValues = Record<string, string | number | boolean | Ref | FileDraft>;

/** The interaction data of a command with its options. */
type CommandData = { options?: Json[]; resolved?: Record<string, Json> };

/** How a command is filled in: `words` are subcommand group and subcommand; `focused` is what is being typed. */
type CommandInput = { subcommands: readonly string[]; values: OptionValues; focused: string | undefined };

/** Fills in a command as Discord's client does. @throws when the client would not let the user send it. */
export function fillCommand(
  core: Core,
  channel: FakeChannel,
  command: APIApplicationCommand,
  filling: CommandInput,
): CommandData {
  const resolved: Record<string, Json> = {};
  const options = fillOptions(core, channel, asObjects(command.options), filling, resolved, command.name);
  const any = Object.keys(resolved).length > 0;
  return { ...(options.length === 0 ? {} : { options }), ...(any ? { resolved } : {}) };
}

function fillOptions(
  core: Core,
  channel: FakeChannel,
  known: Json[],
  filling: CommandInput,
  resolved: Record<string, Json>,
  path: string,
): Json[] {
  const [word, ...words] = filling.subcommands;
  const nested = known.filter(({ type }) => type === OPTION_TYPE.subcommand || type === OPTION_TYPE.subcommandGroup);
  if (word === undefined && nested.length > 0) {
    throw new Error(`/${path} needs one of: ${nested.map(({ name }) => name).join(', ')}`);
  }
  if (word !== undefined) {
    const sub = nested.find(({ name }) => name === word);
    if (sub === undefined) throw new Error(`/${path} has no subcommand ${word}`);
    const inner = fillOptions(
      core,
      channel,
      asObjects(sub.options),
      { ...filling, subcommands: words },
      resolved,
      `${path} ${word}`,
    );
    return [{ type: sub.type, name: word, options: inner }];
  }
  const { values, focused } = filling;
  const stray = Object.keys(values).find((name) => !known.some((option) => option.name === name));
  if (stray !== undefined) throw new Error(`/${path} has no option ${stray}`);
  const missing = known.find(({ name, required }) => required === true && values[String(name)] === undefined);
  if (missing !== undefined && focused === undefined) throw new Error(`/${path} needs ${missing.name}`);
  return known
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
  const wanted: Record<number, string> = { 3: 'string', 4: 'number', 5: 'boolean', 10: 'number' };
  const wrong = (what: string) => new Error(`option ${option.name}: ${JSON.stringify(value)} ${what}`);
  if (typeof value !== wanted[Number(option.type)]) throw wrong(`is not of option type ${option.type}`);
  if (option.type === OPTION_TYPE.integer && !Number.isInteger(value)) throw wrong('is no integer');
  const choices = asObjects(option.choices);
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) throw wrong('is not one of the choices');
  const size = typeof value === 'string' ? value.length : Number(value);
  const [min, max] =
    typeof value === 'string' ? [option.min_length, option.max_length] : [option.min_value, option.max_value];
  if (size < (asNumber(min) ?? -Infinity)) throw wrong(`is below ${min}`);
  if (size > (asNumber(max) ?? (typeof value === 'string' ? 6000 : Infinity))) throw wrong(`is above ${max}`);
}

function resolveOption(
  core: Core,
  channel: FakeChannel,
  type: number,
  value: Ref | FileDraft,
  resolved: Record<string, Json>,
): string {
  const { world } = core;
  const guild = world.guilds.get(channel.guildId ?? '');
  const put = (kind: string, id: string, json: unknown) => {
    resolved[kind] = { ...resolved[kind], [id]: json };
  };
  if ('bytes' in value) {
    const attachment = storeFile(core, channel.id, value, true);
    put('attachments', attachment.id, attachment);
    return attachment.id;
  }
  const { id } = value;
  const role = guild?.roles.get(id);
  if (type === OPTION_TYPE.role || (type === OPTION_TYPE.mentionable && role !== undefined)) {
    if (role === undefined) throw new Error(`no role ${id} in this guild`);
    put('roles', id, roleJson(role));
  } else if (type === OPTION_TYPE.channel) {
    const permissions = String(world.permissionsIn(world.channel(value), world.bot.id));
    put('channels', id, { ...channelJson(world, world.channel(value)), permissions });
  } else {
    put('users', id, userJson(world.user(value)));
    const member = guild?.members.get(id);
    if (member !== undefined)
      put('members', id, { ...memberJson(member), permissions: String(world.permissionsIn(channel, id)) });
  }
  return asString(id) ?? '';
}

/** Finds a registered command as a user sees it. @throws when Discord would not offer it to this user here. */
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
  const known = [...(world.commands.get(guild?.id ?? '') ?? []), ...(world.commands.get('global') ?? [])];
  const command = known.find((each) => each.name === name && Number(each.type) === type);
  if (command === undefined) {
    const names = known.map((each) => each.name).join(', ') || 'none';
    throw new Error(`no command ${name} is registered here (registered: ${names})`);
  }
  if (!force) checkOffered(core, user, channel, command);
  return command;
}

function checkOffered(core: Core, user: FakeUser, channel: FakeChannel, command: APIApplicationCommand): void {
  const { world } = core;
  const hidden = (why: string) => new Error(`Discord does not offer /${command.name} to ${user.name} here: ${why}`);
  const context = channel.guildId === null ? 1 : 0;
  const contexts = (command.contexts ?? null) as number[] | null;
  if (contexts !== null && !contexts.includes(context)) throw hidden(`contexts are ${contexts.join()}`);
  if (channel.guildId === null) return;
  const rights = world.permissionsIn(channel, user.id);
  if (!allows(rights, 'UseApplicationCommands')) throw hidden('no right to use commands or to see the channel');
  const needed = command.default_member_permissions;
  if (needed === null || needed === undefined || rights === ALL_PERMISSIONS) return;
  if (needed === '0' || (rights & BigInt(needed)) !== BigInt(needed)) throw hidden('default_member_permissions');
}
