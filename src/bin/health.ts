import type { App } from '../app.js';
import type { Config } from '../config.js';
import type { Metrics } from '../health/metrics.js';
import { type HealthServer, startHealthServer } from '../health/server.js';
import type { Logger } from '../logger.js';

/** What the health of a bot is read from; `connected` tells whether its gateway is. */
export type HealthParts = { app: App; metrics: Metrics; connected: () => boolean };

/**
 * Opens the health server that the configuration asks for, or none.
 * @throws {ConfigError} when its address cannot be listened on.
 */
export async function openHealth(config: Config, logger: Logger, parts: HealthParts): Promise<HealthServer | null> {
  const { HEALTH_HOST: host, HEALTH_PORT: port } = config;
  if (port === undefined) return null;
  const { app, metrics, connected } = parts;
  const probe = {
    gateway: connected,
    write: () => app.chatbot.places.saveFact('health', String(Date.now())),
    lastFold: metrics.lastFold,
    model: () => app.breaker().status,
  };
  const server = await startHealthServer({ host, port, probe, metrics });
  logger.info({ host, port: server.port }, 'health and metrics are served');
  return server;
}
