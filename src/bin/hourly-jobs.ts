import type { Chatbot } from '../chatbot/chatbot.js';
import type { Config } from '../config.js';
import type { Logger } from '../logger.js';
import { dropExpiredCopies } from '../storage/open.js';

const INTERVAL_MS = 3_600_000;

/** `removeGoneSessions` deletes sessions that the platform no longer has; it runs after each sweep. */
type HourlyJobsDependencies = {
  chatbot: Chatbot;
  logger: Logger;
  config: Config;
  removeGoneSessions?: () => Promise<void>;
};

/**
 * Runs now and every hour: deletes what retention no longer keeps and expired copies of the database, then queues the folds
 * that are due: those left over from before the start, and those of sessions that store much and answer little. What fails is
 * made up for by the next run.
 */
export function startHourlyJobs({
  chatbot,
  logger,
  config,
  removeGoneSessions,
}: HourlyJobsDependencies): NodeJS.Timeout {
  const sweep = async () => {
    await chatbot.sweep();
    dropExpiredCopies(config.DATABASE_URL, Math.max(config.RETENTION_DAYS, 1), Date.now());
    await removeGoneSessions?.();
  };
  const run = async () => {
    await sweep().catch((error) => logger.error({ error }, 'failed to sweep'));
    await chatbot.resume().catch((error) => logger.error({ error }, 'failed to queue due folds'));
  };
  void run();
  return setInterval(run, INTERVAL_MS).unref();
}
