import type { Door } from './door.js';

const gone = (serverId: string) => `gone ${serverId}`;

/** Forgets servers that the bot has been out of for the grace period; one that is there again is kept. */
export async function forgetVanished(door: Door): Promise<void> {
  const { places } = door.chatbot;
  for (const serverId of await places.servers()) {
    const since = await places.fact(gone(serverId));
    if (serverId === 'terminal' || door.client.guilds.cache.has(serverId)) {
      if (since !== null) await places.saveFact(gone(serverId), null);
    } else if (since === null) {
      await places.saveFact(gone(serverId), String(door.clock()));
    } else if (door.clock() - Number(since) > door.options.graceMs) {
      door.logger.info({ serverId }, 'a server that the bot has left is forgotten');
      await places.removeServer(serverId);
      await places.saveFact(gone(serverId), null);
    }
  }
}
