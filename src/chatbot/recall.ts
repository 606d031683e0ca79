import type { Clock } from '../conversation/clock.js';
import type { History } from '../conversation/history.js';
import { countedTextOf, MESSAGE_OVERHEAD, type Message, renderLine, type TokenCount } from '../conversation/message.js';
import type { ChatModel, Encoding, Prompt, PromptImage, TokenCounter, Usage } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import type { ConversationStore } from '../conversation/store.js';
import { type Budget, budgetFor, type ModelLimits, messageCost, promptLimit, summaryCost } from '../memory/budget.js';
import { type MemoryPlan, planMemory, reachFor } from '../memory/plan.js';
import type { RecallDependencies } from './dependencies.js';
import { buildPrompt, questionText, systemText } from './prompt.js';
import { overrideSettings, type SettingsOverride, settingsFor } from './settings.js';

/** Counts the rendered lines of messages, each with its separator and the chat format's overhead. */
export async function countMessages(
  counter: TokenCounter,
  messages: readonly Message[],
  encoding: Encoding,
): Promise<TokenCount[]> {
  const counts = await counter.count(
    messages.map((message) => `${renderLine(message)}\n`),
    encoding,
  );
  return messages.map((message, i) => ({
    seq: message.seq,
    countedText: countedTextOf(message),
    tokens: (counts[i] ?? 0) + MESSAGE_OVERHEAD,
    encoding,
  }));
}

/** Sees to it that every message has its count: those without one are counted, and the counts stored. */
export async function ensureCounts(
  store: ConversationStore,
  counter: TokenCounter,
  messages: readonly Message[],
  encoding: Encoding,
): Promise<Message[]> {
  const uncounted = messages.filter((message) => message.tokens === null);
  if (uncounted.length === 0) return [...messages];
  const counts = await countMessages(counter, uncounted, encoding);
  await store.saveCounts(counts);
  const bySeq = new Map(counts.map((count) => [count.seq, count]));
  return messages.map((message) => {
    const { tokens, encoding: by } = bySeq.get(message.seq) ?? message;
    return { ...message, tokens, encoding: by };
  });
}

/**
 * Cuts a text to at most `room` tokens: its head and its tail are kept around a visible mark. Text that fits is returned
 * as it is; a room without place for the mark gives the mark alone.
 */
export async function truncateToTokens(
  counter: TokenCounter,
  text: string,
  room: number,
  encoding: Encoding,
): Promise<string> {
  const measure = async (candidate: string) => (await counter.count([candidate], encoding))[0] ?? 0;
  let tokens = await measure(text);
  let kept = text.length;
  let fitted = text;
  while (tokens > room && kept > 0) {
    kept = Math.max(0, Math.min(kept - 1, Math.floor((kept * Math.max(room - 16, 0) * 0.95) / tokens)));
    fitted = cutMiddle(text, kept);
    tokens = await measure(fitted);
  }
  return fitted;
}

/** Keeps about `kept` characters of a text, two thirds of them from its head, with a mark that says how many are missing. */
function cutMiddle(text: string, kept: number): string {
  const head = text.slice(0, Math.ceil((kept * 2) / 3));
  const tail = kept - head.length > 0 ? text.slice(-(kept - head.length)) : '';
  const missing = text.length - head.length - tail.length;
  return `${head} [… ${missing} characters left out …] ${tail}`.toWellFormed();
}

const NARROW_MS = 3_600_000;

/** What has been learned of the endpoints' real windows and counts since the start. */
export class ContextWindows {
  readonly #factors = new Map<string, number>();
  readonly #limits = new Map<string, { limit: number; until: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The window of a model for an answer of at most `maxAnswerTokens`. */
  of(model: ChatModel, maxAnswerTokens: number): ModelLimits {
    return {
      contextWindow: this.#limit(model),
      maxAnswerTokens,
      safety: model.safety,
      factor: this.#factors.get(model.id) ?? 1,
      encoding: model.encoding,
    };
  }

  /** Compares our count of a prompt with the endpoint's, so that later prompts keep the margin that it needs. */
  observe(model: ChatModel, counted: number, usage: Usage | null): void {
    if (usage === null || counted < 100 || usage.input <= 0) return;
    // The safety margin already covers small differences; only what goes beyond it calls for a factor.
    const ratio = Math.min(usage.input / counted / (1 + model.safety), 3);
    const known = this.#factors.get(model.id) ?? 1;
    this.#factors.set(model.id, Math.max(1, ratio > known ? ratio : known * 0.9 + ratio * 0.1));
  }

  /**
   * Narrows a model's window after it refused a prompt as too long: to the limit it named, else by a third, down to a quarter.
   * That holds for an hour, since other limits of an endpoint are told in the same words.
   */
  narrow(model: ChatModel, limit: number | undefined): void {
    const present = this.#limit(model);
    const named = limit !== undefined && limit < present ? limit : null;
    const narrowed = named ?? Math.max(Math.floor((present * 2) / 3), Math.floor(model.contextWindow / 4));
    this.#limits.set(model.id, { limit: narrowed, until: this.#clock() + NARROW_MS });
  }

  #limit(model: ChatModel): number {
    const known = this.#limits.get(model.id);
    return known !== undefined && known.until > this.#clock() ? known.limit : model.contextWindow;
  }
}

/** What a picture in low detail costs at most, in tokens; OpenAI's dearest small model takes 2,833. */
const IMAGE_TOKENS = 3_000;

/** Everything that decides what the model is sent for one question, and the prompt itself. */
export type Recall = {
  settings: ResolvedSettings;
  model: ChatModel;
  window: ModelLimits;
  budget: Budget;
  history: History;
  plan: MemoryPlan;
  /** Questions with their counts. */
  questions: Message[];
  /** Tokens of each part of the prompt, as upper bounds. */
  tokens: { persona: number; summary: number; messages: number; question: number };
  prompt: Prompt;
};

/** What a caller may add to a recall: its own settings, and the pictures of the questions. */
type RecallOptions = { override?: SettingsOverride; images?: readonly PromptImage[] };

/** Reads and plans what a question brings back; with no questions, what the next one would. Nothing is written but missing counts. */
export async function recall(
  deps: RecallDependencies,
  session: Session,
  questions: readonly Message[],
  { override = {}, images: given = [] }: RecallOptions = {},
): Promise<Recall> {
  const { store, counter, options } = deps;
  const settings = overrideSettings(await settingsFor(store, session, options), override);
  const model = deps.modelNamed(settings.model.value);
  const window = deps.windows.of(model, options.maxAnswerTokens);
  const persona = await fixedText(deps, settings.persona.value, window);
  // The question counts for more than what it shows.
  const images = given.slice(0, Math.floor(promptLimit(window) / 2 / IMAGE_TOKENS));
  const pictures = images.length * IMAGE_TOKENS;
  const asked = await askedText(deps, questions, window, persona.tokens + pictures);
  const budget = budgetFor(window, { system: persona.tokens, question: asked.tokens + pictures });
  const strategy = settings.strategy.value;
  const history = await store.loadHistory(session.id, reachFor(strategy, budget), questions[0]?.seq);
  history.messages = await ensureCounts(store, counter, history.messages, model.encoding);
  const plan = planMemory(history, strategy, budget);
  return {
    settings,
    model,
    window,
    budget,
    history,
    plan,
    questions: asked.questions,
    tokens: {
      persona: persona.tokens,
      summary: plan.summary === null ? 0 : summaryCost(plan.summary, model.encoding),
      messages: plan.messages.reduce((sum, message) => sum + messageCost(message, model.encoding), 0),
      question: asked.tokens + pictures,
    },
    prompt: {
      ...buildPrompt(systemText(persona.text, plan.summary), plan.messages, asked.text),
      ...(images.length > 0 && { images }),
    },
  };
}

/** A persona may take a quarter of what a prompt holds; more is cut, since the conversation matters more. */
async function fixedText(
  deps: RecallDependencies,
  persona: string,
  window: ModelLimits,
): Promise<{ text: string; tokens: number }> {
  const { counter } = deps;
  const room = Math.floor(promptLimit(window) / 4);
  // Both counts in one trip to the counter's thread, since this stands on the way of every turn.
  const [bare = 0, line = 0] = await counter.count([persona, `${persona}\n`], window.encoding);
  if (bare <= room) return { text: persona, tokens: line + 2 * MESSAGE_OVERHEAD };
  const text = await truncateToTokens(counter, persona, room, window.encoding);
  const [tokens = 0] = await counter.count([`${text}\n`], window.encoding);
  return { text, tokens: tokens + 2 * MESSAGE_OVERHEAD };
}

/** The question's lines and counts; a question that alone passes the limit keeps its head and its tail. */
async function askedText(
  deps: RecallDependencies,
  questions: readonly Message[],
  window: ModelLimits,
  persona: number,
) {
  const counts = await countMessages(deps.counter, questions, window.encoding);
  const counted = questions.map((question, i) => ({ ...question, ...counts[i] }));
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
  const text = questionText(questions);
  const room = promptLimit(window) - persona;
  if (tokens <= room) return { questions: counted, text, tokens };
  const fitted = await truncateToTokens(deps.counter, text, Math.max(0, room - MESSAGE_OVERHEAD), window.encoding);
  return { questions: counted, text: fitted, tokens: room };
}
