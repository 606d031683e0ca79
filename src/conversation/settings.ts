import { z } from 'zod';

const tokens = (min: number, max: number) => z.int().min(min).max(max);

const summaryBuffer = z
  .strictObject({
    name: z.literal('summary-buffer'),
    limit: z.discriminatedUnion('unit', [
      z.strictObject({ unit: z.literal('tokens'), max: tokens(100, 100_000), keep: tokens(0, 100_000) }),
      z.strictObject({ unit: z.literal('messages'), max: z.int().min(2).max(500), keep: z.int().min(0).max(500) }),
    ]),
    maxSummaryTokens: tokens(50, 2_000),
  })
  .refine(({ limit }) => limit.keep < limit.max, { error: 'keep must be less than max' });

/** Validates a memory strategy; every platform and the store keep to these ranges. */
export const strategySchema = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('buffer'), maxTokens: tokens(100, 1_000_000) }),
  z.strictObject({ name: z.literal('window'), k: z.int().min(0).max(500), unit: z.enum(['messages', 'turns']) }),
  z.strictObject({ name: z.literal('token-buffer'), maxTokens: tokens(100, 100_000) }),
  z.strictObject({ name: z.literal('summary'), maxSummaryTokens: tokens(50, 2_000) }),
  summaryBuffer,
]);

/** A memory strategy with its options. */
export type Strategy = z.infer<typeof strategySchema>;

/** Tells whether a strategy summarizes older messages. */
export function usesSummary(strategy: Strategy): boolean {
  return strategy.name === 'summary' || strategy.name === 'summary-buffer';
}

/** The names of the strategies. */
export type StrategyName = Strategy['name'];

/** The strategy of a session for which none was set. */
export const DEFAULT_STRATEGY: Strategy = {
  name: 'summary-buffer',
  limit: { unit: 'tokens', max: 3_000, keep: 1_500 },
  maxSummaryTokens: 400,
};

const dailyTokens = z.int().min(1_000).max(1_000_000_000).nullable();

/** Every setting that a scope may hold. */
export const settingsSchema = z.object({
  strategy: strategySchema,
  persona: z.string().min(1).max(2_000),
  model: z.string().min(1).max(200),
  temperature: z.number().min(0).max(2),
  /** Stores what is addressed to the bot, or all talk of the channel. */
  listen: z.enum(['addressed', 'all']),
  /** Answers what is addressed to the bot, or everything. */
  respond: z.enum(['addressed', 'always']),
  vision: z.boolean(),
  language: z.enum(['auto', 'en', 'zh-CN', 'zh-TW']),
  /** Tokens a day for a server, and for each person in it; null is no limit of the server's own. */
  budget: z.strictObject({ server: dailyTokens, person: dailyTokens }),
});

/** Settings in force. */
export type Settings = z.infer<typeof settingsSchema>;

/** The name of one setting. */
export type SettingKey = keyof Settings;

/** One scope's own value, and since when (milliseconds since 1970). */
export type StoredSetting = { scopeId: string; key: SettingKey; value: unknown; updatedAt: number };

/** Where a value in force comes from: this channel or thread, a thread's channel, the server, or the default. */
export type SettingOrigin = 'here' | 'channel' | 'server' | 'default';

/** A value in force, where it was set and since when (0 for a default). */
export type Resolved<T> = { value: T; origin: SettingOrigin; since: number };

/** All settings in force for a session. */
export type ResolvedSettings = { [K in SettingKey]: Resolved<Settings[K]> };
