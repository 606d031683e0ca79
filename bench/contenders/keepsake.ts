import { Chatbot } from '#dist/chatbot/chatbot.js';
import { NO_METER } from '#dist/conversation/meter.js';
import type { Strategy } from '#dist/conversation/settings.js';
import type { Store } from '#dist/conversation/store.js';
import { createLogger } from '#dist/logger.js';
import { openStore } from '#dist/storage/open.js';
import type { Contender } from '../support/measure.js';
import { instantModel, roughCounter, SUMMARY } from '../support/models.js';
import { OPTIONS } from '../support/options.js';
import { platformId, SERVER, sessionId, sessionsFor } from '../support/seed.js';
import type { Stopwatch } from '../support/stopwatch.js';
import { createTalk, nextExchange } from '../support/talk.js';

/** What to run on: a seeded database, how long its sessions are, and how they are remembered. */
export type Course = {
  name: string;
  path: string;
  messages: number;
  strategy: Strategy;
  /** As the program has it, `FULL`, unless it is only a warm-up. */
  synchronous?: 'NORMAL';
};

/** Far above any platform id of a seeded message. */
const FIRST_QUESTION = 10_000_000;

/**
 * Whole turns of the product, from hearing a question to its answer being settled, with a model that answers at once
 * and a counter that costs nothing. With a stopwatch, what the store did is split by verb.
 */
export async function openKeepsake(course: Course, stopwatch?: Stopwatch): Promise<Contender> {
  const opened = await openStore(course.path, { synchronous: course.synchronous ?? 'FULL' });
  await opened.saveSetting(`server:${SERVER}`, 'strategy', course.strategy, 0);
  const talk = createTalk(7);
  let next = nextExchange(talk);
  const bot = createBot(stopwatch === undefined ? opened : watched(opened, stopwatch), () => next.answer);
  const sessions = sessionsFor(course.messages);
  let turns = 0;
  return {
    name: course.name,
    async turn() {
      const session = { id: sessionId(turns % sessions), parentId: null, serverId: SERVER };
      turns += 1;
      await bot.receive({
        session,
        platformId: platformId(FIRST_QUESTION + turns),
        authorId: 'ada',
        authorName: 'Ada',
        text: next.question,
        quote: null,
        createdAt: Date.now(),
        addressed: true,
      });
      const outcome = await bot.answer(session, async (pieces) => {
        for await (const _ of pieces);
      });
      if (outcome.kind !== 'answered') throw new Error(`a turn of ${course.name} ended as ${outcome.kind}`);
    },
    async rest() {
      stopwatch?.lap();
      await bot.folded(60_000);
      next = nextExchange(talk);
    },
    async close() {
      await bot.close(60_000);
      await opened.close();
    },
  };
}

function createBot(store: Store, answer: () => string): Chatbot {
  const model = instantModel('instant', answer);
  return new Chatbot({
    store,
    counter: roughCounter,
    modelNamed: () => model,
    summaryModel: instantModel('instant', () => SUMMARY),
    clock: Date.now,
    logger: createLogger('silent'),
    meter: NO_METER,
    options: OPTIONS,
  });
}

/** The same store, with the verbs of a turn timed; what a fold reads after it is not. */
function watched(store: Store, stopwatch: Stopwatch): Store {
  let settled = true;
  const time: Stopwatch['time'] = (part, work) => (settled ? work() : stopwatch.time(part, work));
  return {
    ...store,
    openSession(session) {
      settled = false;
      return time('besides', () => store.openSession(session));
    },
    append: (message) => time('append', () => store.append(message)),
    unfinishedAnswer: (id) => time('besides', () => store.unfinishedAnswer(id)),
    loadSettings: (scopeIds) => time('besides', () => store.loadSettings(scopeIds)),
    loadHistory: (id, reach, before) => time('load', () => store.loadHistory(id, reach, before)),
    storeAnswer: (turn, answer) => time('append', () => store.storeAnswer(turn, answer)),
    async settleTurn(turn) {
      const done = await time('besides', () => store.settleTurn(turn));
      settled = true;
      return done;
    },
  };
}
