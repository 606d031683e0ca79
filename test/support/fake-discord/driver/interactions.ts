import {
  type InteractionExtras,
  type InteractionStart,
  locateMessage,
  startInteraction,
} from '../changes/interactions.js';
import type { Ref } from '../shared/clock.js';
import { CALLBACK_TYPE, COMPONENT_TYPE, INTERACTION_TYPE } from '../shared/constants.js';
import { asObject, asObjects, asString, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { flattenComponents, memberJson, messageJson, userJson } from '../state/discord-objects.js';
import type { StoredMessage } from '../state/message-history.js';
import type { FakeChannel, FakeUser } from '../state/world.js';
import { fillCommand, type OptionValues, offeredCommand } from './commands.js';
import { createInteractionHandle, type InteractionHandle } from './queries.js';

/** Actions of users with commands, components and modals. Each returns a handle to wait for the bot's response. */
export type InteractionActions = {
  /** Uses a slash command. `path` is its name with subcommand group and subcommand: `memory strategy window`. */
  command(user: Ref, channel: Ref, path: string, values?: OptionValues, extras?: InteractionExtras): InteractionHandle;
  /** Types into the option `focused`; `values` has what is typed so far. */
  autocomplete(
    user: Ref,
    channel: Ref,
    path: string,
    values: OptionValues,
    focused: string,
    extras?: InteractionExtras,
  ): InteractionHandle;
  /** Uses a context menu command on a message or a user. */
  contextCommand(user: Ref, channel: Ref, name: string, target: Ref, extras?: InteractionExtras): InteractionHandle;
  /** Presses a button. */
  click(user: Ref, message: Ref, customId: string, extras?: InteractionExtras): InteractionHandle;
  /** Chooses from a select menu. */
  select(
    user: Ref,
    message: Ref,
    customId: string,
    values: readonly string[],
    extras?: InteractionExtras,
  ): InteractionHandle;
  /** Submits the modal that an interaction was responded to with; fields without a value keep their initial one. */
  submitModal(user: Ref, interaction: Ref, values: ModalValues, extras?: InteractionExtras): InteractionHandle;
};

/** Creates the actions of users with commands, components and modals. */
export function createInteractionActions(core: Core): InteractionActions {
  const { world } = core;
  const start = (user: Ref, channel: FakeChannel, interaction: InteractionStart) =>
    createInteractionHandle(core, startInteraction(core, world.user(user), channel, interaction));
  const chatInput = (
    type: number,
    user: Ref,
    ref: Ref,
    path: string,
    values: OptionValues,
    focused: string | undefined,
    extras: InteractionExtras = {},
  ) => {
    const channel = world.channel(ref);
    const [name = '', ...subcommands] = path.split(' ');
    const command = offeredCommand(core, world.user(user), channel, 1, name, extras.force === true);
    const guild = command.guild_id === undefined ? {} : { guild_id: command.guild_id };
    const filled = fillCommand(core, channel, command, { subcommands, values, focused });
    return start(user, channel, { type, name, data: { id: command.id, name, type: 1, ...guild, ...filled }, extras });
  };
  const component = (
    user: Ref,
    ref: Ref,
    customId: string,
    values: readonly string[] | undefined,
    extras: InteractionExtras = {},
  ) => {
    const { message, channel } = findShownMessage(core, ref);
    const chosen = values === undefined ? {} : { values };
    return start(user, channel, {
      type: INTERACTION_TYPE.messageComponent,
      name: customId,
      data: { custom_id: customId, ...componentData(message, customId), ...chosen },
      sourceId: message.id,
      extra: { message: messageJson(world, message) },
      extras,
    });
  };
  return {
    command: (user, channel, path, values = {}, extras) =>
      chatInput(INTERACTION_TYPE.applicationCommand, user, channel, path, values, undefined, extras),
    autocomplete: (user, channel, path, values, focused, extras) =>
      chatInput(INTERACTION_TYPE.autocomplete, user, channel, path, { [focused]: '', ...values }, focused, extras),
    contextCommand(user, ref, name, target, extras = {}) {
      const channel = world.channel(ref);
      const data = contextCommandData(core, world.user(user), channel, name, target, extras);
      return start(user, channel, { type: INTERACTION_TYPE.applicationCommand, name, data, extras });
    },
    click: (user, message, customId, extras) => component(user, message, customId, undefined, extras),
    select: (user, message, customId, values, extras) => component(user, message, customId, values, extras),
    submitModal(user, { id }, values, extras = {}) {
      const opener = core.interactions.get(id);
      const modal = opener?.callback?.type === CALLBACK_TYPE.modal ? opener.callback.data : undefined;
      if (opener === undefined || modal === undefined)
        throw new Error(`interaction ${id} was not answered with a modal`);
      const channel = world.channel({ id: opener.channelId });
      const source = locateMessage(core, channel, opener.sourceId)?.message;
      const from = source === undefined ? {} : { sourceId: source.id, extra: { message: messageJson(world, source) } };
      return start(user, channel, {
        type: INTERACTION_TYPE.modalSubmit,
        name: String(modal.custom_id),
        data: { custom_id: modal.custom_id, components: fillModal(modal, values) },
        extras,
        ...from,
      });
    },
  };
}

/** Finds a message in a channel or among the ephemeral ones. */
function findShownMessage(core: Core, { id }: Ref): { message: StoredMessage; channel: FakeChannel } {
  const located = core.world.findMessage(id);
  if (located !== undefined) return located;
  for (const { ephemeralMessages, channelId } of core.interactions.values()) {
    const message = ephemeralMessages.get(id);
    if (message !== undefined) return { message, channel: core.world.channel({ id: channelId }) };
  }
  throw new Error(`the fake Discord knows no message ${id}`);
}

function componentData(message: StoredMessage, customId: string): Json {
  const components = flattenComponents(asObjects(message.components));
  const component = components.find(({ custom_id: id }) => id === customId);
  if (component === undefined) {
    const ids = components.map(({ custom_id: id }) => id).filter(Boolean);
    throw new Error(`message ${message.id} has no component ${customId} (it has: ${ids.join(', ') || 'none'})`);
  }
  if (component.disabled === true) throw new Error(`component ${customId} is disabled`);
  return { component_type: component.type, id: component.id ?? 1 };
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

/** The values of a modal's fields by custom id. */
export type ModalValues = Record<string, string | readonly string[]>;

/** Builds the components of a submitted modal. @throws for an unknown field, or a required one without a value. */
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
  const unknown = Object.keys(values).find((id) => !used.has(id));
  if (unknown !== undefined) throw new Error(`the modal has no field ${unknown} (it has: ${[...used].join(', ')})`);
  return filled;
}

function fillField(field: Json, values: ModalValues, used: Set<string>): Json {
  const id = String(field.custom_id);
  used.add(id);
  const entered = values[id] ?? asString(field.value) ?? '';
  if (field.required !== false && entered.length === 0) throw new Error(`the field ${id} of the modal is required`);
  const maxLength = Number(field.max_length ?? 4000);
  if (typeof entered === 'string' && entered.length > maxLength)
    throw new Error(`the field ${id} takes ${maxLength} characters`);
  const value = field.type === COMPONENT_TYPE.textInput ? { value: entered } : { values: entered };
  return { type: field.type, custom_id: id, id: 1, ...value };
}
