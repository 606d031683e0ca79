import type { Logger } from '../../src/logger.js';

/** One line of the log. */
export type LogLine = { level: string; message: string; fields: Record<string, unknown> };

/** Creates a logger that appends its lines to a list. */
export function recordingLogger(lines: LogLine[]): Logger {
  const write = (level: string) => (fields: Record<string, unknown> | string, message?: string) =>
    void (typeof fields === 'string'
      ? lines.push({ level, message: fields, fields: {} })
      : lines.push({ level, message: message ?? '', fields }));
  const levels = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const logger = { ...levels, child: () => logger };
  return logger as unknown as Logger;
}
