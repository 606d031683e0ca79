import type { Message } from 'discord.js';
import { discordSession } from './session.js';

/** What was told live of messages while what was missed is read: the past may show them as they were, or once more. */
export type ToldMeanwhile = {
  /** Keeps a message as it was just edited: what is read of the past may be older. */
  keepEdit(message: Message): void;
  /** A message of the past, as it reads by now. */
  latest(message: Message): Message;
  /** A message that is told live was stored; it was not missed, though it may be swept before the past is read. */
  heard(message: Message): void;
  wasHeard(message: Message): boolean;
};

/** Starts with nothing. `isMissing` tells of which sessions it matters; `keepOnly` lets the others go. */
export function createToldMeanwhile(
  isMissing: (sessionId: string) => boolean,
): ToldMeanwhile & { keepOnly(owed: (sessionId: string) => boolean): void } {
  const edits = new Map<string, Message>();
  const heard = new Map<string, string>();
  return {
    keepEdit(message) {
      if (isMissing(sessionIdOf(message))) edits.set(message.id, message);
    },
    latest: (message) => edits.get(message.id) ?? message,
    heard(message) {
      if (isMissing(sessionIdOf(message))) heard.set(message.id, sessionIdOf(message));
    },
    wasHeard: ({ id }) => heard.has(id),
    keepOnly(owed) {
      for (const [id, message] of edits) if (!owed(sessionIdOf(message))) edits.delete(id);
      for (const [id, sessionId] of heard) if (!owed(sessionId)) heard.delete(id);
    },
  };
}

function sessionIdOf({ channelId }: Message): string {
  return discordSession(channelId, null).id;
}
