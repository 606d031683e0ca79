import { Client, DefaultRestOptions, GatewayIntentBits, Options, Partials } from 'discord.js';
import { spaceRequests } from './request-pace.js';

/** How the client reaches Discord. `api` replaces Discord's own address, for tests and proxies. */
export type ClientOptions = { api: string | undefined; messageContent: boolean };

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
