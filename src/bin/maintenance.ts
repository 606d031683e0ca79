import type { Chatbot } from '../chatbot/chatbot.js';
import type { Config } from '../config.js';
import type { Logger } from '../logger.js';
import { deleteExpiredCopies } from '../storage/open.js';

const SWEEP_EVERY_MS = 3_600_000;

/**
 * Sweeps now and every hour, copies of the database with it and what the door tidies, and takes up the folds that are due:
 * those of the time before the start, and those of places where much is heard and nothing asked. A sweep that fails is made
 * up for by the next.
 */
export function startMaintenance(
  chatbot: Chatbot,
  logger: Logger,
  config: Config,
  tidyDoor: () => Promise<void> = async () => {},
): NodeJS.Timeout {
  const sweep = async () => {
    try {
      await chatbot.sweep();
      deleteExpiredCopies(config.DATABASE_URL, Math.max(config.RETENTION_DAYS, 1), Date.now());
      await tidyDoor();
    } catch (error) {
      logger.error({ error }, 'the sweep failed');
    }
  };
  const round = () =>
    void sweep()
      .then(() => chatbot.resume())
      .catch((error) => logger.error({ error }, 'folds were not taken up'));
  round();
  return setInterval(round, SWEEP_EVERY_MS).unref();
}
