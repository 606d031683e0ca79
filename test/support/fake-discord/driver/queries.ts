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

/** What can be seen of the bot's doings, and waits for it. */
export type Queries = {
  /** The messages that stand in a channel now, oldest first. */
  messagesIn(channel: Ref): APIMessage[];
  /** Those of them that the bot wrote. */
  botMessagesIn(channel: Ref): APIMessage[];
  /** Requests to post into a channel, in order, whatever became of them. */
  postsIn(channel: Ref): RestEntry[];
  /** Requests to edit a message, in order, also as the @original of an interaction. */
  editsOf(message: Ref): RestEntry[];
  /** Typing indicators that the bot sent. */
  typingIn(channel: Ref): RestEntry[];
  /** Notifications that the bot's texts would have sent. */
  pings(): Pings[];
  /** Requests for which the fake has no route. */
  unknownRequests(): RestEntry[];
  /** 401, 403 and 429 answers (but shared ones), which count towards Discord's ban of an address. */
  invalidRequests(): RestEntry[];
  /** A message of the bot in a channel, of a certain kind when `where` is given; `after` leaves out older ones. */
  botMessage(
    channel: Ref,
    where?: (message: APIMessage) => boolean,
    options?: WaitOptions & { after?: Ref },
  ): Promise<APIMessage>;
  /** The bot's first message that replies to this one. */
  replyTo(message: Ref, where?: (message: APIMessage) => boolean, options?: WaitOptions): Promise<APIMessage>;
  /** Resolves when a session is connected and has been sent READY and its guilds. */
  ready(options?: WaitOptions): Promise<void>;
};

/** The queries on a core. */
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
      const complete = () =>
        core.sessions.all().some((session) => session.link !== null && isComplete(core, session.guildIds));
      await journal.waitUntil(() => complete(), { what: 'a session that is ready', ...options });
    },
  };
}

/** The message that a PATCH of this path edits. */
function editedId(core: Core, path: string): string | null | undefined {
  const [, token, id] = /^\/(?:channels|webhooks\/\d+)\/([^/]+)\/messages\/([^/]+)$/.exec(path) ?? [];
  if (id !== '@original') return id;
  return [...core.interactions.values()].find((interaction) => interaction.token === token)?.originalId;
}

function isComplete(core: Core, guildIds: ReadonlySet<string>): boolean {
  return [...core.world.guilds.values()].every(
    ({ id, joined, available }) => !joined || !available || guildIds.has(id),
  );
}

function isInvalid({ status, answerHeaders }: RestEntry): boolean {
  return status === 401 || status === 403 || (status === 429 && answerHeaders['X-RateLimit-Scope'] !== 'shared');
}

/** A choice that autocomplete offers. */
export type Choice = { name: string; value: string | number };

/** What a bot makes of an interaction; every wait rejects with a dump of the journal. */
export type InteractionWaits = {
  /** The first answer, of whatever type. */
  acknowledged(interaction: Ref, options?: WaitOptions): Promise<InteractionCallback>;
  /** The message that answers: at once, or when a deferral is filled or an update made. `where` waits for a certain state of it. */
  reply(interaction: Ref, where?: (message: APIMessage) => boolean, options?: WaitOptions): Promise<APIMessage>;
  /** The n-th follow-up, from 1. */
  followUp(interaction: Ref, nth?: number, options?: WaitOptions): Promise<APIMessage>;
  /** What autocomplete offers. */
  choices(interaction: Ref, options?: WaitOptions): Promise<Choice[]>;
  /** The modal that is shown. */
  modal(interaction: Ref, options?: WaitOptions): Promise<Json>;
  /** Everything known about it now. */
  record(interaction: Ref): InteractionRecord;
};

type Bound<F> = F extends (interaction: Ref, ...rest: infer R) => infer T ? (...rest: R) => T : never;

/** One interaction: its id, and the waits for what the bot makes of it. */
export type InteractionHandle = { id: string } & { [K in keyof InteractionWaits]: Bound<InteractionWaits[K]> };

/** The waits of a core's interactions. */
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
    check: (of: InteractionRecord) => T | undefined,
  ) => {
    const of = record(ref);
    return core.journal.waitUntil(() => check(of), { what: `${what} of interaction ${of.name}`, ...options });
  };
  const answered = (of: InteractionRecord, type: number) => (of.callback?.type === type ? of.callback.data : undefined);
  return {
    record,
    acknowledged: (ref, options) => wait('the first answer', ref, options, (of) => of.callback ?? undefined),
    reply: (ref, where = () => true, options) =>
      wait('the answer', ref, options, (of) => {
        if (of.callback === null || of.waiting) return undefined;
        if (of.callback.type === CALLBACK_TYPE.deferredUpdateMessage && of.edits === 0) return undefined;
        const found = message(of, of.originalId);
        return found !== undefined && where(found) ? found : undefined;
      }),
    followUp: (ref, nth = 1, options) =>
      wait(`follow-up ${nth}`, ref, options, (of) => message(of, of.followUpIds[nth - 1])),
    choices: (ref, options) =>
      wait('the choices', ref, options, (of) => {
        const data = answered(of, CALLBACK_TYPE.autocompleteResult);
        return data && (asObjects(data.choices) as Choice[]);
      }),
    modal: (ref, options) => wait('the modal', ref, options, (of) => answered(of, CALLBACK_TYPE.modal)),
  };
}

/** A handle on an interaction that was started. */
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
