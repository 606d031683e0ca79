import type { PrivilegedIntent } from './constants.js';

/** How a fake Discord is set up. All durations are in milliseconds. */
export type FakeDiscordOptions = {
  /** Privileged intents that the developer portal grants; asking for others closes with 4014. */
  intentsGranted: readonly PrivilegedIntent[];
  /** The heartbeat interval that HELLO names. */
  heartbeatMs: number;
  /** How long a helper waits before it rejects with a dump of the journal. */
  waitMs: number;
  /** Time between READY and each guild's GUILD_CREATE. */
  guildDelayMs: number;
  /** Time for an interaction's first answer; Discord gives 3 s. */
  interactionMs: number;
  /** Life of an interaction's token; Discord gives 15 min. */
  interactionTokenMs: number;
  /** How long a nonce is remembered; Discord says "the past few minutes". */
  nonceMs: number;
  /** Frames a session keeps for RESUME; a client that is further behind gets op 9. */
  replayFrames: number;
  /** Entries that the journal keeps at least; older ones go, so that a long run fits in memory. */
  journalEntries: number;
  /** Largest upload per file in bytes. */
  maxFileBytes: number;
  botName: string;
  /** The bot's token; any string is good. */
  token: string;
};

/** The options that hold when nothing is said. */
export const DEFAULT_OPTIONS: FakeDiscordOptions = {
  intentsGranted: ['messageContent'],
  heartbeatMs: 41_250,
  waitMs: 10_000,
  guildDelayMs: 0,
  interactionMs: 3_000,
  interactionTokenMs: 15 * 60_000,
  nonceMs: 5 * 60_000,
  replayFrames: 10_000,
  journalEntries: Number.POSITIVE_INFINITY,
  maxFileBytes: 10 * 1024 * 1024,
  botName: 'Keepsake',
  token: 'fake-token.of.a-loopback-bot',
};
