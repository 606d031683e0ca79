import type { StoredMessage } from './history.js';

/** The first answer to an interaction. `data` is what the bot sent. */
export type InteractionCallback = { type: number; at: number; data: Record<string, unknown> };

/** Everything about one interaction: what the user did and what the bot made of it. */
export type InteractionRecord = {
  id: string;
  token: string;
  type: number;
  /** The command's name, or the custom id. */
  name: string;
  channelId: string;
  guildId: string | null;
  userId: string;
  startedAt: number;
  /** Null until the bot answered in time. */
  callback: InteractionCallback | null;
  /** Fixed by the first answer. */
  ephemeral: boolean;
  /** The message that @original stands for. */
  originalId: string | null;
  /** A deferral that no content has followed yet. */
  waiting: boolean;
  /** The message whose component was used. */
  sourceId: string | null;
  /** Messages only the user can see, by id. */
  ephemeralMessages: Map<string, StoredMessage>;
  followUpIds: string[];
  /** How often @original was edited. */
  edits: number;
};
