import { pino } from 'pino';

/** Where events are written; message texts never are. */
export type Logger = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

/** The levels of the log, from chatty to silent. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/**
 * Writes JSON lines to standard error, so that standard output stays the chat's own. Fields that could hold a secret
 * or a text are redacted by name, as a second net below the rule that nobody passes them.
 */
export function createLogger(level: (typeof LOG_LEVELS)[number]): Logger {
  const redact = ['token', 'apiKey', 'authorization', 'text', 'content', 'prompt', 'answer', 'persona'];
  return pino(
    {
      level,
      base: null,
      redact: { paths: [...redact, ...redact.map((name) => `*.${name}`)], censor: '[redacted]' },
      serializers: { error: describeError },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** What the log keeps of an error: its kind, its code and its place, never the provider's own words. */
function describeError(error: unknown): { type: string; code?: unknown; status?: unknown; at?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, status } = error as { code?: unknown; status?: unknown };
  const at = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    ...(status !== undefined && { status }),
    ...(at !== undefined && { at: at.trim() }),
  };
}
