import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { closestMatch } from './conversation/closest-match.js';
import { ConfigError } from './conversation/errors.js';

const optionalInteger = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error }).optional();
};
const integer = (min: number, max: number, fallback: number) => optionalInteger(min, max).default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['0', '1'], { error: 'must be 1 (on) or 0 (off)' })
    .default(fallback ? '1' : '0')
    .transform((value) => value === '1');
const textWithoutSpaces = z.string().trim().regex(/^\S+$/u, 'must not contain spaces').optional();
const httpUrl = z.url({ protocol: /^https?$/u, error: 'must be an http:// or https:// address' }).optional();

const list = z
  .string()
  .default('')
  .transform((value) => value.split(',').map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ''));

/** Validates every variable that Keepsake reads, with its default; `.env.example` explains each. */
export const configSchema = z.object({
  DATABASE_URL: z.string().default('file:./data/keepsake.db'),
  OPENAI_API_KEY: textWithoutSpaces,
  OPENAI_BASE_URL: httpUrl,
  OPENAI_MODEL: textWithoutSpaces,
  SUMMARY_MODEL: textWithoutSpaces,
  SUMMARY_PROMPT_FILE: z.string().optional(),
  CONTEXT_WINDOW: optionalInteger(500, 10_000_000),
  MAX_ANSWER_TOKENS: integer(16, 100_000, 1_000),
  TEMPERATURE: z.coerce
    .number('must be a number from 0 to 2')
    .min(0, 'must be at least 0')
    .max(2, 'must be at most 2')
    .optional(),
  PROBE_LOCAL: flag(true),
  RETENTION_DAYS: integer(0, 36_500, 30),
  TRACING: z.enum(['off', 'langsmith'], { error: 'must be off or langsmith' }).default('off'),
  FIRST_BYTE_SECONDS: integer(1, 3_600, 30),
  IDLE_SECONDS: integer(1, 3_600, 20),
  TOTAL_SECONDS: integer(1, 3_600, 90),
  TURN_SECONDS: integer(1, 3_600, 120),
  FRESH_MINUTES: integer(1, 1_440, 10),
  DAILY_TOKENS_SERVER: optionalInteger(1_000, 1_000_000_000),
  DAILY_TOKENS_PERSON: optionalInteger(1_000, 1_000_000_000),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' })
    .optional(),
  HEALTH_PORT: optionalInteger(0, 65_535),
  HEALTH_HOST: textWithoutSpaces.default('127.0.0.1'),
  DISCORD_TOKEN: z.string().optional(),
  DISCORD_API: httpUrl,
  MESSAGE_CONTENT: flag(true),
  ALLOWED_MODELS: list,
  COOLDOWN_SECONDS: integer(0, 3_600, 3),
  CRASH_PAUSE_SECONDS: integer(0, 3_600, 60),
  ANSWERS_PER_SERVER: integer(1, 1_000, 5),
});

type ConfigKey = keyof typeof configSchema.shape;

/** The environment as a typed value, with the text of SUMMARY_PROMPT_FILE. */
export type Config = z.infer<typeof configSchema> & { summaryInstructions: string | null };

/** The variables in the order in which they are documented. */
export const configKeys = Object.keys(configSchema.shape) as ConfigKey[];

/** A configuration, warnings about it, and LangSmith's own variables of the file. */
type ReadConfig = { config: Config; warnings: string[]; tracing: Record<string, string | undefined> };

/**
 * Reads `.env` (if there is one) and the environment, which wins over the file.
 * @throws {ConfigError} naming all problems at once; no value of a secret is ever in it.
 */
export function readConfig(env: NodeJS.ProcessEnv, envFile = '.env'): ReadConfig {
  const file = readEnvFile(envFile);
  const problems = probableTypos(Object.keys(file)).map((typo) => `${envFile}: ${typo}`);
  const values: Record<string, string | undefined> = {};
  for (const key of configKeys) values[key] = blankIsUnset(key, env[key] ?? file[key]);
  if (values.DISCORD_TOKEN?.trim() === '') {
    problems.push('DISCORD_TOKEN: is blank; put the bot token in, or remove the line to chat in the terminal');
  } else if (/\s/u.test(values.DISCORD_TOKEN ?? '')) problems.push('DISCORD_TOKEN: must not contain spaces');
  const parsed = configSchema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) problems.push(`${issue.path.join('.')}: ${issue.message}`);
  const instructions = readInstructions(values.SUMMARY_PROMPT_FILE, problems);
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const warnings = probableTypos(Object.keys(env).filter((key) => !(key in file)));
  const tracing = Object.fromEntries(Object.entries(file).filter(([key]) => /^LANG(?:SMITH|CHAIN)_/u.test(key)));
  return { config: { ...parsed.data, summaryInstructions: instructions }, warnings, tracing };
}

function readEnvFile(path: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError([`${path}: cannot be read; make it a readable text file or remove it`]);
  }
}

/** A blank value is unset, as in a copied `.env.example`; only a blank token is an error, since it was probably forgotten. */
function blankIsUnset(key: ConfigKey, value: string | undefined): string | undefined {
  return value?.trim() === '' && key !== 'DISCORD_TOKEN' ? undefined : value;
}

function probableTypos(keys: string[]): string[] {
  return keys.flatMap((key) => {
    if (key.length < 6 || (configKeys as string[]).includes(key)) return [];
    const match = closestMatch(key, configKeys);
    return match === null ? [] : [`${key} is not a setting; did you mean ${match}?`];
  });
}

function readInstructions(path: string | undefined, problems: string[]): string | null {
  if (path === undefined) return null;
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text.length > 0 && text.length <= 8_000) return text;
    problems.push('SUMMARY_PROMPT_FILE: must hold between 1 and 8,000 characters');
  } catch {
    problems.push('SUMMARY_PROMPT_FILE: cannot be read; give the path of a readable text file');
  }
  return null;
}
