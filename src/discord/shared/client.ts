import { Client, DefaultRestOptions, GatewayIntentBits, Options, Partials, type RESTOptions } from 'discord.js';
import type { Wait } from './rate-limits.js';

type Send = RESTOptions['makeRequest'];

/** Discord takes 50 requests in each of its seconds. */
const REQUESTS = 49;
const SECOND_MS = 1_000;
/** While more requests wait than go out in a fifth of a second, typing indicators would come too late to tell anything. */
const TYPING_BEHIND = 9;
/** Interactions have three seconds for their answer and do not count towards that limit. */
const UNCOUNTED = /\/(?:interactions|webhooks)\//u;

/**
 * Holds requests back so that no second of Discord's holds more than it takes. The library counts in seconds of its own, and
 * may send the requests of two of them within one of Discord's; here a request counts until a second after its answer, since
 * nobody knows when in between Discord has counted it. While requests queue up, typing indicators are left out. The time
 * that a request may take runs while it queues; one that is given up meanwhile leaves the queue at once and is never sent.
 */
export function spaceRequests(send: Send, wait: Wait = waitIdly): Send {
  const queue = new Set<() => void>();
  let free = REQUESTS;
  const release = () => {
    const [next] = queue;
    if (next === undefined) free += 1;
    else next();
  };
  const queueUp = (signal: AbortSignal | null | undefined) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        queue.delete(go);
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.delete(go);
        reject(signal?.reason);
      };
      queue.add(go);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  return async (url, init) => {
    if (UNCOUNTED.test(url)) return send(url, init);
    init.signal?.throwIfAborted();
    if (queue.size > TYPING_BEHIND && url.endsWith('/typing')) return new Response(null, { status: 204 });
    if (free > 0) free -= 1;
    else await queueUp(init.signal);
    try {
      return await send(url, init);
    } finally {
      void wait(SECOND_MS).then(release);
    }
  };
}

/** Does not keep the program from ending. */
function waitIdly(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** How the client reaches Discord. `api` replaces Discord's own address, for tests and proxies. */
type ClientOptions = { api: string | undefined; messageContent: boolean };

/** Messages kept in memory for each channel: enough to find what a reply points to, since the store keeps the rest. */
const MESSAGES_CACHED = 5;
const MEMBERS_CACHED = 100;
const LONGEST_WAIT_MS = 60_000;

/** A client with the least intents, bounded caches and no pings, not logged in yet. */
export function createClient({ api, messageContent }: ClientOptions): Client {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return new Client({
    intents: [Guilds, GuildMessages, DirectMessages, ...(messageContent ? [MessageContent] : [])],
    // Without these, direct messages in channels that are not known yet and edits of messages that are not cached are dropped.
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    enforceNonce: true,
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: MESSAGES_CACHED,
      GuildMemberManager: { maxSize: MEMBERS_CACHED, keepOverLimit: (member) => member.id === member.client.user.id },
      UserManager: { maxSize: 1_000, keepOverLimit: (user) => user.id === user.client.user?.id },
      DMMessageManager: MESSAGES_CACHED,
      ReactionManager: 0,
      ReactionUserManager: 0,
      PresenceManager: 0,
      VoiceStateManager: 0,
      ThreadMemberManager: 0,
      GuildBanManager: 0,
      GuildInviteManager: 0,
      GuildEmojiManager: 0,
      GuildStickerManager: 0,
      GuildScheduledEventManager: 0,
      StageInstanceManager: 0,
      AutoModerationRuleManager: 0,
      ApplicationCommandManager: 0,
    }),
    rest: {
      ...(api !== undefined && { api }),
      makeRequest: spaceRequests(DefaultRestOptions.makeRequest),
      timeout: 15_000,
      // The library would repeat a 5xx at once; answers have their own pauses.
      retries: 0,
      // A 429 that names no time (Cloudflare's) would be repeated for ever, and one of many minutes block the channel.
      rejectOnRateLimit: ({ retryAfter }) => retryAfter === 0 || retryAfter > LONGEST_WAIT_MS,
      invalidRequestWarningInterval: 500,
    },
  });
}
