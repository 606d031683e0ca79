import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { BaseDependencies, Options } from '../../src/chatbot/dependencies.js';
import type { TurnOutcome } from '../../src/chatbot/turn.js';
import type { UserMessage } from '../../src/conversation/message.js';
import { NO_METER } from '../../src/conversation/meter.js';
import { type Session, terminalSession } from '../../src/conversation/session.js';
import type { Store } from '../../src/conversation/store.js';
import { createLogger } from '../../src/logger.js';
import { openStore } from '../../src/storage/open.js';
import { halvesCounter, type ScriptedModel, scriptedModel } from '../support/scripted-model.js';

/** A chatbot on a SQLite store in memory, with scripted models and a clock that tests set. */
export type Bench = {
  bot: Chatbot;
  parts: BaseDependencies;
  model: ScriptedModel;
  summarizer: ScriptedModel;
  session: Session;
  time: { now: number };
  /** Says one thing as a person and gives the answer and the outcome. */
  say(text: string, more?: Partial<UserMessage>): Promise<{ text: string; outcome: TurnOutcome }>;
  close(): Promise<void>;
};

/** Puts a chatbot on the bench; what is not given is scripted to answer `ok` and to summarize by counting. */
export async function putOnBench(
  given: {
    model?: ScriptedModel;
    summarizer?: ScriptedModel;
    options?: Partial<Options>;
    url?: string;
    store?: Store;
  } = {},
): Promise<Bench> {
  const model = given.model ?? scriptedModel((_, __, n) => `answer ${n}`);
  const summarizer = given.summarizer ?? scriptedModel((_, __, n) => `summary ${n}`, { id: 'summarizer' });
  const time = { now: Date.UTC(2026, 0, 1) };
  const parts: BaseDependencies = {
    store: given.store ?? (await openStore(given.url ?? ':memory:')),
    counter: halvesCounter,
    modelNamed: () => model,
    summaryModel: summarizer,
    clock: () => time.now,
    logger: createLogger('silent'),
    meter: NO_METER,
    options: {
      defaultModel: model.id,
      allowedModels: null,
      temperature: undefined,
      maxAnswerTokens: 1_000,
      retentionDays: 30,
      summaryInstructions: null,
      ceilings: { server: null, person: null },
      foldsAtOnce: 3,
      foldRetryMs: 1_000,
      turnMs: 120_000,
      waitMs: 600_000,
      ...given.options,
    },
  };
  const bot = new Chatbot(parts);
  const session = terminalSession('bench');
  let said = 0;
  return {
    bot,
    parts,
    model,
    summarizer,
    session,
    time,
    async say(text, more = {}) {
      said += 1;
      time.now += 1_000;
      const message = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: time.now, addressed: true };
      await bot.receive({ session, platformId: `m${said}`, text, ...message, ...more });
      let shown = '';
      const outcome = await bot.answer(more.session ?? session, async (pieces) => {
        for await (const piece of pieces) shown += piece;
      });
      return { text: shown, outcome };
    },
    async close() {
      await bot.close(1_000);
      await parts.store.close();
    },
  };
}
