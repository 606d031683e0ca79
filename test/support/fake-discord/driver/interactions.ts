import type { APIMessage } from 'discord.js';
import { type InteractionExtras, locateMessage, startInteraction } from '../changes/interactions.js';
import type { Ref } from '../shared/clock.js';
import { COMPONENT_TYPE, INTERACTION_TYPE } from '../shared/constants.js';
import { asObject, asObjects, asString, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { flattenComponents, memberJson, messageJson, userJson } from '../state/discord-objects.js';
import type { StoredMessage } from '../state/message-history.js';
import type { FakeChannel, FakeUser } from '../state/world.js';
import { fillCommand, type OptionValues, offeredCommand } from './commands.js';
import { createInteractionHandle, type InteractionHandle } from './queries.js';

/** What people do with commands, buttons, menus and modals. Each gives a handle on what the bot makes of it. */
export type InteractionActions = {
  /** Uses a slash command. `path` is its name, with group and subcommand: `memory strategy window`. */
  command(user: Ref, channel: Ref, path: string, values?: OptionValues, extras?: InteractionExtras): InteractionHandle;
  /** Types into the option `focused`, whose value so far stands among the values. */
  autocomplete(
    user: Ref,
    channel: Ref,
    path: string,
    values: OptionValues,
    focused: string,
    extras?: InteractionExtras,
  ): InteractionHandle;
  /** Uses a context command on a message or a user. */
  contextCommand(user: Ref, channel: Ref, name: string, target: Ref, extras?: InteractionExtras): InteractionHandle;
  /** Presses the button with that custom id. */
  click(user: Ref, message: Ref, customId: string, extras?: InteractionExtras): InteractionHandle;
  /** Chooses in the menu with that custom id. */
  select(
    user: Ref,
    message: Ref,
    customId: string,
    values: readonly string[],
    extras?: InteractionExtras,
  ): InteractionHandle;
  /** Sends the modal that an interaction was answered with; fields that are not given keep the value they came with. */
  submitModal(user: Ref, interaction: Ref, values: ModalValues, extras?: InteractionExtras): InteractionHandle;
};

/** The acts of a core's people. */
export function createInteractionActions(core: Core): InteractionActions {
  const { world } = core;
  const slash =
    (type: number) =>
    (user: Ref, ref: Ref, path: string, values: OptionValues, focused?: string, extras: InteractionExtras = {}) => {
      const channel = world.channel(ref);
      const [name = '', ...words] = path.split(' ');
      const command = offeredCommand(core, world.user(user), channel, 1, name, extras.force === true);
      const guild = command.guild_id === undefined ? {} : { guild_id: command.guild_id };
      const data = {
        id: command.id,
        name,
        type: 1,
        ...guild,
        ...fillCommand(core, channel, command, { subcommands: words, values, focused }),
      };
      return createInteractionHandle(
        core,
        startInteraction(core, world.user(user), channel, { type, name, data, extras }),
      );
    };
  const component = (
    user: Ref,
    ref: Ref,
    customId: string,
    values: readonly string[] | undefined,
    extras: InteractionExtras = {},
  ) => {
    const { message, channel } = findShownMessage(core, ref);
    const data = {
      custom_id: customId,
      ...componentData(message, customId),
      ...(values === undefined ? {} : { values }),
    };
    const extra = { message: messageJson(world, message) };
    const started = {
      type: INTERACTION_TYPE.messageComponent,
      name: customId,
      data,
      sourceId: message.id,
      extra,
      extras,
    };
    return createInteractionHandle(core, startInteraction(core, world.user(user), channel, started));
  };
  return {
    command: (user, channel, path, values = {}, extras) =>
      slash(INTERACTION_TYPE.applicationCommand)(user, channel, path, values, undefined, extras),
    autocomplete: (user, channel, path, values, focused, extras) =>
      slash(INTERACTION_TYPE.autocomplete)(user, channel, path, { [focused]: '', ...values }, focused, extras),
    contextCommand(user, ref, name, target, extras = {}) {
      const channel = world.channel(ref);
      const data = contextCommandData(core, world.user(user), channel, name, target, extras);
      return createInteractionHandle(
        core,
        startInteraction(core, world.user(user), channel, {
          type: INTERACTION_TYPE.applicationCommand,
          name,
          data,
          extras,
        }),
      );
    },
    click: (user, message, customId, extras) => component(user, message, customId, undefined, extras),
    select: (user, message, customId, values, extras) => component(user, message, customId, values, extras),
    submitModal(user, { id }, values, extras = {}) {
      const opener = core.interactions.get(id);
      const modal = opener?.callback?.type === 9 ? opener.callback.data : undefined;
      if (opener === undefined || modal === undefined)
        throw new Error(`interaction ${id} was not answered with a modal`);
      const channel = world.channel({ id: opener.channelId });
      const source = locateMessage(core, channel, opener.sourceId)?.message;
      const data = { custom_id: modal.custom_id, components: fillModal(modal, values) };
      const from = source === undefined ? {} : { sourceId: source.id, extra: { message: messageJson(world, source) } };
      const name = String(modal.custom_id);
      return createInteractionHandle(
        core,
        startInteraction(core, world.user(user), channel, {
          type: INTERACTION_TYPE.modalSubmit,
          name,
          data,
          extras,
          ...from,
        }),
      );
    },
  };
}

/** The message whose components are used, wherever it is shown. */
function findShownMessage(core: Core, { id }: Ref): { message: StoredMessage | APIMessage; channel: FakeChannel } {
  const place = core.world.findMessage(id);
  if (place !== undefined) return place;
  for (const { ephemeralMessages, channelId } of core.interactions.values()) {
    const message = ephemeralMessages.get(id);
    if (message !== undefined) return { message, channel: core.world.channel({ id: channelId }) };
  }
  throw new Error(`the fake Discord knows no message ${id}`);
}

function componentData(message: StoredMessage, customId: string): Json {
  const known = flattenComponents(asObjects(message.components));
  const found = known.find(({ custom_id: id }) => id === customId);
  if (found === undefined) {
    const ids = known.map(({ custom_id: id }) => id).filter(Boolean);
    throw new Error(`message ${message.id} has no component ${customId} (it has: ${ids.join(', ') || 'none'})`);
  }
  if (found.disabled === true) throw new Error(`component ${customId} is disabled`);
  return { component_type: found.type, id: found.id ?? 1 };
}

function contextCommandData(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  name: string,
  { id }: Ref,
  extras: InteractionExtras,
): Json {
  const { world } = core;
  const message = world.history(channel.id).find(id);
  const type = message === undefined ? 2 : 3;
  const command = offeredCommand(core, user, channel, type, name, extras.force === true);
  const member = world.guilds.get(channel.guildId ?? '')?.members.get(id);
  const resolved = message
    ? { messages: { [id]: messageJson(world, message) } }
    : { users: { [id]: userJson(world.user({ id })) }, ...(member ? { members: { [id]: memberJson(member) } } : {}) };
  return { id: command.id, name, type, target_id: id, resolved };
}

/** What a user writes or chooses in a modal, by custom id. */
export type ModalValues = Record<string, string | readonly string[]>;

/** The filled-in components of a modal, in the shape of its rows or labels. @throws for an unknown or missing field. */
function fillModal(modal: Json, values: ModalValues): Json[] {
  const used = new Set<string>();
  const filled = asObjects(modal.components).flatMap((outer, at): Json[] => {
    if (outer.type === COMPONENT_TYPE.label) {
      return [
        { type: COMPONENT_TYPE.label, id: at + 1, component: fillField(asObject(outer.component), values, used) },
      ];
    }
    if (outer.type !== COMPONENT_TYPE.actionRow) return [];
    return [
      {
        type: COMPONENT_TYPE.actionRow,
        id: at + 1,
        components: asObjects(outer.components).map((each) => fillField(each, values, used)),
      },
    ];
  });
  const stray = Object.keys(values).find((id) => !used.has(id));
  if (stray !== undefined) throw new Error(`the modal has no field ${stray} (it has: ${[...used].join(', ')})`);
  return filled;
}

function fillField(field: Json, values: ModalValues, used: Set<string>): Json {
  const id = String(field.custom_id);
  used.add(id);
  const given = values[id] ?? asString(field.value) ?? '';
  if (field.required !== false && given.length === 0) throw new Error(`the field ${id} of the modal is required`);
  const most = Number(field.max_length ?? 4000);
  if (typeof given === 'string' && given.length > most) throw new Error(`the field ${id} takes ${most} characters`);
  const value = field.type === COMPONENT_TYPE.textInput ? { value: given } : { values: given };
  return { type: field.type, custom_id: id, id: 1, ...value };
}
