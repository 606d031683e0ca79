import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { BaseDependencies, Options } from '../../src/chatbot/dependencies.js';
import type { TurnOutcome } from '../../src/chatbot/turn.js';
import type { UserMessage } from '../../src/conversation/message.js';
import { NO_METER } from '../../src/conversation/meter.js';
import { type Session, terminalSession } from '../../src/conversation/session.js';
import { createLogger } from '../../src/logger.js';
import { openStore } from '../../src/storage/open.js';
import { chatbotOptions } from './options.js';
import { halvesCounter, type ScriptedModel, scriptedModel } from './scripted-model.js';

/** A chatbot alone, on a SQLite store, with scripted models and a clock that tests set. */
export type TestChatbot = {
  chatbot: Chatbot;
  deps: BaseDependencies;
  model: ScriptedModel;
  summarizer: ScriptedModel;
  /** The session in which `say` speaks. */
  session: Session;
  time: { now: number };
  /** Says one thing as a person and gives the answer and the outcome. */
  say(text: string, more?: Partial<UserMessage>): Promise<{ text: string; outcome: TurnOutcome }>;
  close(): Promise<void>;
};

/** What a chatbot is given; the rest is a store in memory and models that count their answers. */
type Given = {
  model?: ScriptedModel;
  summarizer?: ScriptedModel;
  options?: Partial<Options>;
  url?: string;
  deps?: Partial<BaseDependencies>;
};

/** Opens a chatbot. */
export async function openChatbot(given: Given = {}): Promise<TestChatbot> {
  const model = given.model ?? scriptedModel((_, __, n) => `answer ${n}`);
  const summarizer = given.summarizer ?? scriptedModel((_, __, n) => `summary ${n}`, { id: 'summarizer' });
  const time = { now: Date.UTC(2026, 0, 1) };
  const deps: BaseDependencies = {
    store: given.deps?.store ?? (await openStore(given.url ?? ':memory:')),
    counter: halvesCounter,
    modelNamed: () => model,
    summaryModel: summarizer,
    clock: () => time.now,
    logger: createLogger('silent'),
    meter: NO_METER,
    options: chatbotOptions({ defaultModel: model.id, foldRetryMs: 1_000, ...given.options }),
    ...given.deps,
  };
  const chatbot = new Chatbot(deps);
  const session = terminalSession('test');
  let said = 0;
  return {
    chatbot,
    deps,
    model,
    summarizer,
    session,
    time,
    async say(text, more = {}) {
      said += 1;
      time.now += 1_000;
      const message = { authorId: 'ada', authorName: 'Ada', quote: null, createdAt: time.now, addressed: true };
      await chatbot.receive({ session, platformId: `m${said}`, text, ...message, ...more });
      let shown = '';
      const outcome = await chatbot.answer(more.session ?? session, async (pieces) => {
        for await (const piece of pieces) shown += piece;
      });
      return { text: shown, outcome };
    },
    async close() {
      await chatbot.close(1_000);
      await deps.store.close();
    },
  };
}
