import type { Session } from '../conversation/session.js';

/** The session of a channel, thread or direct message, by Discord's ids. */
export function discordSession(channelId: string, guildId: string | null, parentId: string | null = null): Session {
  return { id: `discord:${channelId}`, serverId: guildId, parentId: parentId === null ? null : `discord:${parentId}` };
}

/** Discord's channel id of a session, or null for sessions of other doors. */
export function channelIdOf(sessionId: string): string | null {
  return sessionId.startsWith('discord:') ? sessionId.slice('discord:'.length) : null;
}
