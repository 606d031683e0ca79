import type { Door } from './door.js';

const gone = (serverId: string) => `gone ${serverId}`;

/** The bot was removed from a server: it stops what it says there, and the grace begins after which the server is forgotten. */
export async function leaveServer(door: Door, serverId: string): Promise<void> {
  const { places } = door.chatbot;
  const sessions = await places.sessionsOf(serverId);
  for (const { id } of sessions) door.running.stop(id, 'deleted');
  // Of servers without sessions nothing is known later but what is set there.
  if (sessions.length === 0) await places.removeServer(serverId);
  else await places.saveFact(gone(serverId), String(door.clock()));
}

/** Forgets servers that the bot has been out of for the grace period; one that is there again is kept. */
export async function forgetVanished(door: Door): Promise<void> {
  // Before the login no server is there.
  if (!door.client.isReady()) return;
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
