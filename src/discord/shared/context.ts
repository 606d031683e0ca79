import { type Client, Events, type LocalizationMap } from 'discord.js';
import type { Chatbot } from '../../chatbot/chatbot.js';
import { SessionQueue } from '../../chatbot/session-queue.js';
import type { Clock } from '../../conversation/clock.js';
import type { Settings } from '../../conversation/settings.js';
import type { Logger } from '../../logger.js';
import type { Words } from '../../words/en.js';
import { languages, wordsFor } from '../../words/index.js';
import { type ConnectionGaps, createConnectionGaps } from './connection-gaps.js';
import type { Place } from './incoming.js';
import { createWaitingMarks, type WaitingMarks } from './notices.js';
import { type ClaimedQuestions, createClaimedQuestions, Downloads, Pictures } from './pending-questions.js';
import { Cooldowns, createEditThrottle, type EditThrottle, RateLimits } from './rate-limits.js';
import { createRunningAnswers, type RunningAnswers } from './running-answers.js';

/** The owner's choices for the Discord door; durations are in milliseconds. */
export type BotOptions = {
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
  /** How old a question that was missed may be to be answered still. */
  freshMs: number;
  /** Sessions that were silent for longer are not caught up with. */
  catchUpMs: number;
  /** How long the memory of a server is kept that the bot was removed from, whether it ran then or not. */
  graceMs: number;
  /** How long a start waits that follows several quick ones. */
  crashPauseMs: number;
  /** Turns that may wait in one session. */
  queueLimit: number;
  /** How often turns are looked for that wait because Discord or the store failed. */
  retryMs: number;
  /** The pauses before a request that Discord did not answer is made again, one for each try. */
  pausesMs: readonly number[];
};

/** What every event and command handler works with. */
export type BotContext = {
  chatbot: Chatbot;
  client: Client<true>;
  logger: Logger;
  /** Resolves when all servers are known. */
  ready: Promise<void>;
  clock: Clock;
  options: BotOptions;
  /** Takes in what is said in a channel one after the other, so that it is stored in its order. */
  intake: SessionQueue;
  running: RunningAnswers;
  claimed: ClaimedQuestions;
  marks: WaitingMarks;
  gaps: ConnectionGaps;
  rateLimits: RateLimits;
  cooldowns: Cooldowns;
  editThrottle: EditThrottle;
  pictures: Pictures;
  downloads: Downloads;
};

/** Puts a door in front of a chatbot, for a client that is not logged in yet. */
export function createBotContext(
  client: Client,
  parts: Pick<BotContext, 'chatbot' | 'logger' | 'clock' | 'options'>,
): BotContext {
  const { chatbot, clock, options } = parts;
  const cooldowns = new Cooldowns(clock);
  return {
    ...parts,
    client: client as Client<true>,
    ready: new Promise((resolve) => client.once(Events.ClientReady, () => resolve())),
    intake: new SessionQueue(),
    running: createRunningAnswers(),
    claimed: createClaimedQuestions(),
    marks: createWaitingMarks(cooldowns),
    gaps: createConnectionGaps((sessionId) => chatbot.sessions.missedSince(sessionId)),
    rateLimits: new RateLimits(options.cooldownMs, options.answersPerServer),
    cooldowns,
    editThrottle: createEditThrottle(options.editIntervalMs, clock),
    pictures: new Pictures(),
    downloads: new Downloads(),
  };
}

/** One text in every language but English, as Discord takes it beside the English one. */
export function localizations(pick: (words: Words) => string): LocalizationMap {
  return { 'zh-CN': pick(languages['zh-CN']), 'zh-TW': pick(languages['zh-TW']) };
}

/** The catalogue of a language setting; `auto` goes by the locale of who is spoken to. */
export function wordsIn(language: Settings['language'], locale: string): Words {
  return wordsFor(language === 'auto' ? locale : language);
}

/** The catalogue in force at a place, for somebody with a locale. */
export async function wordsAt(ctx: BotContext, place: Place, locale: string): Promise<Words> {
  return wordsIn((await ctx.chatbot.settings(place.session)).language.value, locale);
}
