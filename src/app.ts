import { Chatbot } from './chatbot/chatbot.js';
import type { Config } from './config.js';
import type { Clock } from './conversation/clock.js';
import { type Meter, NO_METER } from './conversation/meter.js';
import { type BreakerState, type GuardedModel, withBreaker, withMetrics } from './llm/breaker.js';
import { type Connection, chooseModel } from './llm/choose-model.js';
import { createTokenCounter } from './llm/token-counter.js';
import type { Logger } from './logger.js';
import { openStore } from './storage/open.js';

/** A chatbot with its parts. */
export type App = {
  chatbot: Chatbot;
  connection: Connection;
  /** The circuit breaker of the default model's endpoint. */
  breaker(): BreakerState;
  /** Waits up to `foldGraceMs` for folds that run, then closes all parts. */
  close(foldGraceMs: number): Promise<void>;
};

/**
 * Creates the parts that the configuration asks for, and connects them.
 * @throws {StorageError} when the database cannot be opened; nothing was changed then.
 */
export async function createApp(
  config: Config,
  logger: Logger,
  meter: Meter = NO_METER,
  clock: Clock = Date.now,
): Promise<App> {
  const store = await openStore(config.DATABASE_URL, { clock, copiesForDays: Math.max(config.RETENTION_DAYS, 1) });
  const connection = await chooseModel(connectionOptions(config));
  const counter = createTokenCounter();
  const guarded = new Map<string, GuardedModel>();
  const modelNamed = (name: string) => {
    const model = guarded.get(name) ?? withBreaker(withMetrics(connection.modelNamed(name), meter), clock);
    guarded.set(name, model);
    return model;
  };
  const chatbot = new Chatbot({
    store,
    counter,
    modelNamed,
    // A breaker of its own, so that failures of the summarizer do not affect answers.
    summaryModel: withBreaker(withMetrics(connection.summaryModel, meter), clock),
    clock,
    logger,
    meter,
    options: {
      defaultModel: connection.model.id,
      allowedModels: allowedModels(config, connection.model.id),
      temperature: config.TEMPERATURE,
      maxAnswerTokens: config.MAX_ANSWER_TOKENS,
      retentionDays: config.RETENTION_DAYS,
      summaryInstructions: config.summaryInstructions,
      ceilings: { server: config.DAILY_TOKENS_SERVER ?? null, person: config.DAILY_TOKENS_PERSON ?? null },
      foldsAtOnce: 3,
      foldRetryMs: 30_000,
      turnMs: config.TURN_SECONDS * 1_000,
      waitMs: config.FRESH_MINUTES * 60_000,
    },
  });
  return {
    chatbot,
    connection,
    breaker: () => modelNamed(connection.model.id).breaker(),
    async close(foldGraceMs) {
      await chatbot.close(foldGraceMs);
      await counter.close();
      await store.close();
    },
  };
}

/** Lists the models that may be set: ALLOWED_MODELS, or the default model alone. */
export function allowedModels({ ALLOWED_MODELS, OPENAI_MODEL }: Config, defaultModel: string): readonly string[] {
  return ALLOWED_MODELS.length > 0 ? ALLOWED_MODELS : [OPENAI_MODEL ?? defaultModel];
}

/** Takes the options of the model connection from the configuration. */
export function connectionOptions(config: Config): Parameters<typeof chooseModel>[0] {
  return {
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    model: config.OPENAI_MODEL ?? 'gpt-4o-mini',
    modelWasSet: config.OPENAI_MODEL !== undefined,
    summaryModel: config.SUMMARY_MODEL,
    contextWindow: config.CONTEXT_WINDOW,
    probeLocal: config.PROBE_LOCAL,
    deadlines: {
      firstByteMs: config.FIRST_BYTE_SECONDS * 1_000,
      idleMs: config.IDLE_SECONDS * 1_000,
      totalMs: config.TOTAL_SECONDS * 1_000,
    },
  };
}
