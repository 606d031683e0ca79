import type { Options } from '../../src/chatbot/dependencies.js';
import type { BotOptions } from '../../src/discord/shared/context.js';

/** The model that every endpoint of a test world offers. */
export const MODEL = 'fake-model';

/** The options of a chatbot: the program's defaults, but quick, and without limits for the day. */
export function chatbotOptions(changed: Partial<Options> = {}): Options {
  return {
    defaultModel: MODEL,
    allowedModels: null,
    temperature: undefined,
    maxAnswerTokens: 1_000,
    retentionDays: 30,
    turnMs: 30_000,
    waitMs: 600_000,
    ceilings: { server: null, person: null },
    summaryInstructions: null,
    foldsAtOnce: 3,
    foldRetryMs: 50,
    ...changed,
  };
}

/** The options of a bot on Discord: no cooldown, no pause after crashes, short intervals and backoffs. */
export function botOptions(changed: Partial<BotOptions> = {}): BotOptions {
  return {
    messageContent: true,
    allowedModels: [MODEL],
    editIntervalMs: 20,
    cooldownMs: 0,
    answersPerServer: 1_000,
    freshMs: 600_000,
    catchUpMs: 7 * 86_400_000,
    graceMs: 7 * 86_400_000,
    crashPauseMs: 0,
    queueLimit: 20,
    retryMs: 100,
    pausesMs: [10, 20, 40],
    ...changed,
  };
}

/** Where the built program finds its Discord and its model. */
type Endpoints = { discord?: { token: string; api: string }; openai: { baseUrl: string } };

/** A model whose vocabulary, `cl100k_base`, is loaded in half the time of that of unknown models. */
export const QUICK_MODEL = 'gpt-4';

/** The same as environment variables of the built program. */
export function botEnvironment(
  { discord, openai }: Endpoints,
  changed: Record<string, string> = {},
): Record<string, string> {
  return {
    ...(discord !== undefined && { DISCORD_TOKEN: discord.token, DISCORD_API: discord.api }),
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_API_KEY: 'sk-loopback',
    OPENAI_MODEL: QUICK_MODEL,
    CONTEXT_WINDOW: '60000',
    DATABASE_URL: 'file:./keepsake.db',
    LOG_LEVEL: 'warn',
    PROBE_LOCAL: '0',
    COOLDOWN_SECONDS: '0',
    CRASH_PAUSE_SECONDS: '0',
    ANSWERS_PER_SERVER: '1000',
    MAX_ANSWER_TOKENS: '10000',
    ...changed,
  };
}
