import { createHash } from 'node:crypto';
import { Routes } from 'discord.js';
import { slashCommands } from './commands/index.js';
import type { Door } from './door.js';

/** The fact under which the store remembers what was registered last. */
export const COMMANDS_FACT = 'commands-hash';

/**
 * Registers the slash commands for all servers and direct messages, if they or the application have changed since.
 * Resolves with whether they had. @throws {Error} when Discord refuses; nothing is remembered then.
 */
export async function registerCommands({ client, chatbot, logger }: Door): Promise<boolean> {
  const applicationId = client.application.id;
  const body = slashCommands.map(({ data }) => data);
  const hash = createHash('sha256')
    .update(JSON.stringify([applicationId, body]))
    .digest('hex');
  if ((await chatbot.places.fact(COMMANDS_FACT)) === hash) return false;
  await client.rest.put(Routes.applicationCommands(applicationId), { body });
  await chatbot.places.saveFact(COMMANDS_FACT, hash);
  logger.info({ commands: body.length }, 'slash commands registered');
  return true;
}
