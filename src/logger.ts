import { pino } from 'pino';

/** Writes events; message texts are never logged. */
export type Logger = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/**
 * Creates a logger that writes JSON lines to standard error, since standard output belongs to the chat. No caller may log a
 * secret or a text; as a second defense, fields that could hold one are redacted by name.
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

/** Logs an error's type, code and place, never its message, which may hold a provider's own words. */
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
