import { Client, DefaultRestOptions, GatewayIntentBits, Options, Partials, type RESTOptions } from 'discord.js';
import { type Sleep, sleep } from '../../conversation/clock.js';
import { NO_PINGS } from './respond.js';

/** `api` replaces Discord's own address, for tests and proxies. */
type ClientOptions = { api: string | undefined; messageContent: boolean };

/** Messages cached for each channel: enough to find what a reply points to; the store keeps the rest. */
const MESSAGES_CACHED = 5;
const MEMBERS_CACHED = 100;
const LONGEST_WAIT_MS = 60_000;

/** Creates a client with the least intents, bounded caches and no pings, not logged in yet. */
export function createClient({ api, messageContent }: ClientOptions): Client {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return new Client({
    intents: [Guilds, GuildMessages, DirectMessages, ...(messageContent ? [MessageContent] : [])],
    // Without partials the library drops direct messages in unknown channels and edits of messages that are not cached.
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: NO_PINGS,
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
      // The library would retry a 5xx at once; answers have a backoff of their own.
      retries: 0,
      // A 429 without a time (Cloudflare's) would be retried for ever, and one of many minutes would block the channel.
      rejectOnRateLimit: ({ retryAfter }) => retryAfter === 0 || retryAfter > LONGEST_WAIT_MS,
      invalidRequestWarningInterval: 500,
    },
  });
}

type Send = RESTOptions['makeRequest'];

/** Discord takes 50 requests in each of its seconds. */
const REQUESTS_PER_SECOND = 49;
const SECOND_MS = 1_000;
/** With more requests waiting than leave in a fifth of a second, typing indicators would come too late to be of use. */
const MAX_WAITING_FOR_TYPING = 9;
/** Interactions have three seconds for their answer and do not count towards that limit. */
const UNCOUNTED = /\/(?:interactions|webhooks)\//u;

/**
 * Holds requests back so that no second of Discord's contains more than its global limit. The library counts in seconds of
 * its own, two of whose bursts can fall into one of Discord's; here a request holds its slot until a second after its response,
 * since Discord may have counted it at any time in between. While requests queue up, typing indicators are dropped. The
 * timeout of a request runs while it queues; one that is aborted meanwhile leaves the queue and is never sent.
 */
export function spaceRequests(send: Send, wait: Sleep = (ms) => sleep(ms, { ref: false })): Send {
  const queue = new Set<() => void>();
  let free = REQUESTS_PER_SECOND;
  const release = () => {
    const [next] = queue;
    if (next === undefined) free += 1;
    else next();
  };
  const queueUp = (signal: AbortSignal | null | undefined) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        queue.delete(start);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        queue.delete(start);
        reject(signal?.reason);
      };
      queue.add(start);
      signal?.addEventListener('abort', abort, { once: true });
    });
  return async (url, init) => {
    if (UNCOUNTED.test(url)) return send(url, init);
    init.signal?.throwIfAborted();
    if (queue.size > MAX_WAITING_FOR_TYPING && url.endsWith('/typing')) return new Response(null, { status: 204 });
    if (free > 0) free -= 1;
    else await queueUp(init.signal);
    try {
      return await send(url, init);
    } finally {
      void wait(SECOND_MS).then(release);
    }
  };
}
