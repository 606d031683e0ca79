import { type Client, Events, type LocalizationMap } from 'discord.js';
import type { Chatbot } from '../../chatbot/chatbot.js';
import { SessionQueue } from '../../chatbot/session-queue.js';
import { type Clock, type Sleep, sleep } from '../../conversation/clock.js';
import type { Settings } from '../../conversation/settings.js';
import type { Logger } from '../../logger.js';
import type { Words } from '../../words/en.js';
import { languages, wordsFor } from '../../words/index.js';
import { type BackfillState, createBackfillState } from './backfill-state.js';
import type { Place } from './incoming.js';
import { createWaitingMarks, type WaitingMarks } from './notices.js';
import { type ClaimedQuestions, createClaimedQuestions, Downloads, Pictures } from './pending-questions.js';
import { Cooldowns, createEditThrottle, type EditThrottle, RateLimits } from './rate-limits.js';
import { createRunningAnswers, type RunningAnswers } from './running-answers.js';

/** The owner's options for the Discord bot; durations are in milliseconds. */
export type BotOptions = {
  /** Whether the Message Content intent is granted; without it the bot reads only what is addressed to it. */
  messageContent: boolean;
  /** Models that `/settings model` may choose. */
  allowedModels: readonly string[];
  /** The least time between two edits in one channel. */
  editIntervalMs: number;
  /** The least time between two questions of one person. */
  cooldownMs: number;
  /** Answers that run at once in one server. */
  answersPerServer: number;
  /** A missed question is answered up to this age. */
  freshMs: number;
  /** Sessions without a message for longer are not caught up with. */
  catchUpMs: number;
  /** How long the memory of a server is kept after the bot was removed from it. */
  graceMs: number;
  /** How long a start waits after several starts in quick succession. */
  crashPauseMs: number;
  /** Turns that may wait in one session. */
  queueLimit: number;
  /** The interval at which turns are resumed that wait because Discord or the store failed. */
  retryMs: number;
  /** The pauses before the retries of a request that Discord did not answer. */
  pausesMs: readonly number[];
};

/** Dependencies and in-memory state of every event and command handler. */
export type BotContext = {
  chatbot: Chatbot;
  client: Client<true>;
  logger: Logger;
  /** Resolves when the client is ready and all servers are known. */
  ready: Promise<void>;
  clock: Clock;
  sleep: Sleep;
  options: BotOptions;
  /** Runs the events of a channel one after the other, so that messages are stored in their order. */
  intake: SessionQueue;
  running: RunningAnswers;
  claimed: ClaimedQuestions;
  waitingMarks: WaitingMarks;
  backfill: BackfillState;
  rateLimits: RateLimits;
  cooldowns: Cooldowns;
  editThrottle: EditThrottle;
  pictures: Pictures;
  downloads: Downloads;
};

/** What a context is created of; tests replace `sleep`. */
export type BotDependencies = Pick<BotContext, 'chatbot' | 'logger' | 'clock' | 'options'> & { sleep?: Sleep };

/** Creates the context of a client that is not logged in yet. */
export function createBotContext(client: Client, dependencies: BotDependencies): BotContext {
  const { chatbot, logger, clock, options, sleep: wait = sleep } = dependencies;
  const cooldowns = new Cooldowns(clock);
  return {
    chatbot,
    logger,
    clock,
    options,
    sleep: wait,
    client: client as Client<true>,
    ready: new Promise((resolve) => client.once(Events.ClientReady, () => resolve())),
    intake: new SessionQueue(),
    running: createRunningAnswers(),
    claimed: createClaimedQuestions(),
    waitingMarks: createWaitingMarks(cooldowns),
    backfill: createBackfillState((sessionId) => chatbot.sessions.missedSince(sessionId)),
    rateLimits: new RateLimits(options.cooldownMs, options.answersPerServer),
    cooldowns,
    editThrottle: createEditThrottle(options.editIntervalMs, clock, wait),
    pictures: new Pictures(),
    downloads: new Downloads(),
  };
}

/** Gives one text in every language but English, as Discord takes localizations beside the English text. */
export function localizations(pick: (words: Words) => string): LocalizationMap {
  return { 'zh-CN': pick(languages['zh-CN']), 'zh-TW': pick(languages['zh-TW']) };
}

/** Returns the message catalogue of a language setting; `auto` goes by the locale of the reader or server. */
export function wordsIn(language: Settings['language'], locale: string): Words {
  return wordsFor(language === 'auto' ? locale : language);
}

/** Returns the message catalogue in force where an interaction takes place. */
export async function wordsAt(ctx: BotContext, place: Place, locale: string): Promise<Words> {
  return wordsIn((await ctx.chatbot.settings(place.session)).language.value, locale);
}
