import type { Chatbot } from '../chatbot/chatbot.js';
import type { Logger } from '../logger.js';

const SWEEP_EVERY_MS = 3_600_000;

/** Sweeps now and every hour, and takes up folds that were due; a sweep that fails is made up for by the next. */
export function keepTidy(chatbot: Chatbot, logger: Logger): NodeJS.Timeout {
  const sweep = () => chatbot.sweep().catch((error) => logger.error({ error }, 'the sweep failed'));
  void sweep()
    .then(() => chatbot.resume())
    .catch((error) => logger.error({ error }, 'folds were not taken up'));
  return setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();
}
