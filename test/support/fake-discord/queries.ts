import type { APIMessage } from 'discord.js';
import type { Ref } from './clock.js';
import type { Core } from './core.js';
import type { WaitOptions } from './journal.js';
import type { RestEntry } from './journal-entries.js';
import type { Pings } from './mentions.js';
import { messageJson } from './render-message.js';

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
