import type { Client } from 'discord.js';
import type { Chatbot } from '../chatbot/chatbot.js';
import type { Clock } from '../conversation/clock.js';
import type { Logger } from '../logger.js';
import type { Limits } from './limits.js';
import type { Pace } from './pace.js';
import type { Pictures } from './pictures.js';
import type { RunningAnswers } from './running.js';

/** The owner's choices for the Discord door; durations are in milliseconds. */
export type DoorOptions = {
  /** Whether the Message Content intent is granted; without it the bot reads only what is addressed to it. */
  messageContent: boolean;
  /** Models that `/settings model` may choose. */
  allowedModels: readonly string[];
  /** The least time between two edits in one channel. */
  editIntervalMs: number;
  /** The least time between two questions of one person. */
  cooldownMs: number;
  /** Answers under way at once in one server. */
  answersPerServer: number;
  /** Turns that may wait in one session. */
  queueLimit: number;
};

/** What every event and command handler works with. */
export type Door = {
  chatbot: Chatbot;
  client: Client<true>;
  logger: Logger;
  clock: Clock;
  options: DoorOptions;
  running: RunningAnswers;
  limits: Limits;
  pace: Pace;
  pictures: Pictures;
};
