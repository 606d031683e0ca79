import type { APIMessage } from 'discord.js';
import { locateMessage } from '../changes/interactions.js';
import type { Ref } from '../shared/clock.js';
import { CALLBACK_TYPE } from '../shared/constants.js';
import { asObjects, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { messageJson } from '../state/discord-objects.js';
import type { RestEntry, WaitOptions } from '../state/journal.js';
import type { Pings } from '../state/mentions.js';
import type { InteractionCallback, InteractionRecord } from '../state/world.js';

/** Observations of the bot, and waits for what it does. Waits reject after the timeout with a dump of the journal. */
export type Queries = {
  /** The channel's current messages, oldest first. */
  messagesIn(channel: Ref): APIMessage[];
  /** The bot's own among them. */
  botMessagesIn(channel: Ref): APIMessage[];
  /** Requests that post a message, in order, whatever their outcome. */
  postsIn(channel: Ref): RestEntry[];
  /** Requests that edit a message, in order, also as the `@original` of an interaction. */
  editsOf(message: Ref): RestEntry[];
  /** Requests that trigger the typing indicator. */
  typingIn(channel: Ref): RestEntry[];
  /** The notifications of the bot's messages, without those that notify nobody. */
  pings(): Pings[];
  /** Requests for which the fake has no route. */
  unknownRequests(): RestEntry[];
  /** Requests answered with 401, 403 or 429 (but shared ones), which count towards Discord's ban of an address. */
  invalidRequests(): RestEntry[];
  /** Waits for a message of the bot in a channel that fulfils `where`; `after` skips older ones. */
  botMessage(
    channel: Ref,
    where?: (message: APIMessage) => boolean,
    options?: WaitOptions & { after?: Ref },
  ): Promise<APIMessage>;
  /** Waits for a message of the bot that replies to this one and fulfils `where`. */
  replyTo(message: Ref, where?: (message: APIMessage) => boolean, options?: WaitOptions): Promise<APIMessage>;
  /** Waits until a connected session has been sent READY and all guilds. */
  ready(options?: WaitOptions): Promise<void>;
};

/** Creates the observations of the bot. */
export function createQueries(core: Core): Queries {
  const { world, journal } = core;
  const messagesIn = ({ id }: Ref) =>
    world
      .history(id)
      .all()
      .map((message) => messageJson(world, message));
  const botMessagesAfter = (channelId: string, id: string) =>
    world
      .history(channelId)
      .after(id)
      .filter(({ author }) => author.id === world.bot.id)
      .map((message) => messageJson(world, message));
  const botMessagesIn = ({ id }: Ref) => botMessagesAfter(id, '0');
  return {
    messagesIn,
    botMessagesIn,
    postsIn: ({ id }) => journal.rest({ method: 'POST', path: `/channels/${id}/messages` }),
    editsOf: ({ id }) => journal.rest({ method: 'PATCH' }).filter(({ path }) => editedId(core, path) === id),
    typingIn: ({ id }) => journal.rest({ method: 'POST', path: `/channels/${id}/typing` }),
    pings: () =>
      journal
        .rest()
        .map(({ pings }) => pings)
        .filter((pings) => pings !== null)
        .filter(
          ({ everyone, roles, users, repliedUser }) =>
            everyone || roles.length + users.length > 0 || repliedUser !== null,
        ),
    unknownRequests: () => journal.rest({ unknownRoute: true }),
    invalidRequests: () => journal.rest().filter(isInvalid),
    botMessage: (channel, where = () => true, { after, ...options } = {}) =>
      journal.waitUntil(() => botMessagesAfter(channel.id, after?.id ?? '0').find(where), {
        what: `a message of the bot in channel ${channel.id}: ${where}`,
        ...options,
      }),
    replyTo: ({ id }, where = () => true, options = {}) =>
      journal.waitUntil(
        () => {
          const channelId = world.findMessage(id)?.channel.id ?? '';
          const answers = botMessagesAfter(channelId, id);
          return answers.find((message) => message.message_reference?.message_id === id && where(message));
        },
        { what: `a reply to message ${id}: ${where}`, ...options },
      ),
    ready: async (options = {}) => {
      const isReady = () =>
        core.sessions.all().some((session) => session.link !== null && hasAllGuilds(core, session.guildIds));
      await journal.waitUntil(() => isReady(), { what: 'a session that is ready', ...options });
    },
  };
}

/** Returns the id of the message that a PATCH of this path edits. */
function editedId(core: Core, path: string): string | null | undefined {
  const [, token, id] = /^\/(?:channels|webhooks\/\d+)\/([^/]+)\/messages\/([^/]+)$/.exec(path) ?? [];
  if (id !== '@original') return id;
  return [...core.interactions.values()].find((interaction) => interaction.token === token)?.originalId;
}

function hasAllGuilds(core: Core, guildIds: ReadonlySet<string>): boolean {
  return [...core.world.guilds.values()].every(
    ({ id, joined, available }) => !joined || !available || guildIds.has(id),
  );
}

function isInvalid({ status, answerHeaders }: RestEntry): boolean {
  return status === 401 || status === 403 || (status === 429 && answerHeaders['X-RateLimit-Scope'] !== 'shared');
}

/** An autocomplete choice. */
export type Choice = { name: string; value: string | number };

/** Waits for the bot's response to an interaction. */
export type InteractionWaits = {
  /** Waits for the response, of any type. */
  acknowledged(interaction: Ref, options?: WaitOptions): Promise<InteractionCallback>;
  /** Waits for the response's message, after a deferral for its content, until it fulfils `where`. */
  reply(interaction: Ref, where?: (message: APIMessage) => boolean, options?: WaitOptions): Promise<APIMessage>;
  /** Waits for the n-th follow-up, from 1. */
  followUp(interaction: Ref, nth?: number, options?: WaitOptions): Promise<APIMessage>;
  /** Waits for the autocomplete choices. */
  choices(interaction: Ref, options?: WaitOptions): Promise<Choice[]>;
  /** Waits for the modal. */
  modal(interaction: Ref, options?: WaitOptions): Promise<Json>;
  /** Returns the interaction's current state. */
  record(interaction: Ref): InteractionRecord;
};

type Bound<F> = F extends (interaction: Ref, ...rest: infer R) => infer T ? (...rest: R) => T : never;

/** An interaction: its id, and the waits for the bot's response. */
export type InteractionHandle = { id: string } & { [K in keyof InteractionWaits]: Bound<InteractionWaits[K]> };

/** Creates the waits for responses to interactions. */
export function createInteractionWaits(core: Core): InteractionWaits {
  const record = ({ id }: Ref) => {
    const found = core.interactions.get(id);
    if (found === undefined) throw new Error(`the fake Discord knows no interaction ${id}`);
    return found;
  };
  const message = ({ channelId }: InteractionRecord, id: string | null | undefined) => {
    const channel = core.world.channels.get(channelId);
    const found = channel && locateMessage(core, channel, id ?? null)?.message;
    return found && messageJson(core.world, found);
  };
  const wait = <T>(
    what: string,
    ref: Ref,
    options: WaitOptions | undefined,
    check: (interaction: InteractionRecord) => T | undefined,
  ) => {
    const interaction = record(ref);
    const description = `${what} of interaction ${interaction.name}`;
    return core.journal.waitUntil(() => check(interaction), { what: description, ...options });
  };
  const callbackData = ({ callback }: InteractionRecord, type: number) =>
    callback?.type === type ? callback.data : undefined;
  return {
    record,
    acknowledged: (ref, options) =>
      wait('the first answer', ref, options, (interaction) => interaction.callback ?? undefined),
    reply: (ref, where = () => true, options) =>
      wait('the answer', ref, options, (interaction) => {
        if (interaction.callback === null || interaction.waiting) return undefined;
        if (interaction.callback.type === CALLBACK_TYPE.deferredUpdateMessage && interaction.edits === 0)
          return undefined;
        const found = message(interaction, interaction.originalId);
        return found !== undefined && where(found) ? found : undefined;
      }),
    followUp: (ref, nth = 1, options) =>
      wait(`follow-up ${nth}`, ref, options, (interaction) => message(interaction, interaction.followUpIds[nth - 1])),
    choices: (ref, options) =>
      wait('the choices', ref, options, (interaction) => {
        const data = callbackData(interaction, CALLBACK_TYPE.autocompleteResult);
        return data && (asObjects(data.choices) as Choice[]);
      }),
    modal: (ref, options) =>
      wait('the modal', ref, options, (interaction) => callbackData(interaction, CALLBACK_TYPE.modal)),
  };
}

/** Creates the handle of an interaction. */
export function createInteractionHandle(core: Core, { id }: InteractionRecord): InteractionHandle {
  const waits = createInteractionWaits(core);
  const ref = { id };
  return {
    id,
    record: () => waits.record(ref),
    acknowledged: (options) => waits.acknowledged(ref, options),
    reply: (where, options) => waits.reply(ref, where, options),
    followUp: (nth, options) => waits.followUp(ref, nth, options),
    choices: (options) => waits.choices(ref, options),
    modal: (options) => waits.modal(ref, options),
  };
}
