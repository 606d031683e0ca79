import type { History } from '../conversation/history.js';
import { MESSAGE_OVERHEAD, type Message } from '../conversation/message.js';
import type { ChatModel, Prompt, PromptImage } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import { type Budget, budgetFor, type ModelLimits, messagesCost, promptLimit, summaryCost } from '../memory/budget.js';
import { type MemoryPlan, planMemory, reachFor } from '../memory/plan.js';
import type { PromptDependencies } from './dependencies.js';
import { buildPrompt, questionText, systemText } from './prompt.js';
import { overrideSettings, type SettingsOverride, settingsFor } from './settings.js';
import { countMessages, countText, ensureCounts, truncateToTokens } from './token-counts.js';

/** Everything that decides what the model is sent for one question, and the prompt itself. */
export type PreparedPrompt = {
  settings: ResolvedSettings;
  model: ChatModel;
  modelLimits: ModelLimits;
  budget: Budget;
  history: History;
  plan: MemoryPlan;
  /** Questions with their counts. */
  questions: Message[];
  /** Tokens of each part of the prompt, as upper bounds. */
  tokens: { persona: number; summary: number; messages: number; question: number };
  prompt: Prompt;
};

/** Options of a prompt: settings of the caller's own, and the pictures of the questions. */
type PromptOptions = { override?: SettingsOverride; images?: readonly PromptImage[] };

/** The most that a picture in low detail costs, in tokens; OpenAI's dearest small model takes 2,833. */
const IMAGE_TOKENS = 3_000;

/**
 * Loads the history of a session, plans what is sent of it, and builds the prompt for questions; without questions, what the
 * next one would be sent with. Stores nothing but missing counts.
 */
export async function preparePrompt(
  deps: PromptDependencies,
  session: Session,
  questions: readonly Message[],
  { override = {}, images: allImages = [] }: PromptOptions = {},
): Promise<PreparedPrompt> {
  const { store, counter, options } = deps;
  const settings = overrideSettings(await settingsFor(store, session, options), override);
  const model = deps.modelNamed(settings.model.value);
  const modelLimits = deps.observedLimits.limitsOf(model, options.maxAnswerTokens);
  const persona = await fitPersona(deps, settings.persona.value, modelLimits);
  // Pictures get half of the prompt at most, since the question's text matters more.
  const images = allImages.slice(0, Math.floor(promptLimit(modelLimits) / 2 / IMAGE_TOKENS));
  const imageTokens = images.length * IMAGE_TOKENS;
  const question = await fitQuestion(deps, questions, modelLimits, persona.tokens + imageTokens);
  const budget = budgetFor(modelLimits, { system: persona.tokens, question: question.tokens + imageTokens });
  const strategy = settings.strategy.value;
  const history = await store.loadHistory(session.id, reachFor(strategy, budget), questions[0]?.seq);
  history.messages = await ensureCounts(store, counter, history.messages, model.encoding);
  const plan = planMemory(history, strategy, budget);
  return {
    settings,
    model,
    modelLimits,
    budget,
    history,
    plan,
    questions: question.messages,
    tokens: {
      persona: persona.tokens,
      summary: plan.summary === null ? 0 : summaryCost(plan.summary, model.encoding),
      messages: messagesCost(plan.messages, model.encoding),
      question: question.tokens + imageTokens,
    },
    prompt: {
      ...buildPrompt(systemText(persona.text, plan.summary), plan.messages, question.text),
      ...(images.length > 0 && { images }),
    },
  };
}

/** A persona may take a quarter of what a prompt holds; more is cut, since the conversation matters more. */
async function fitPersona(
  { counter }: PromptDependencies,
  persona: string,
  limits: ModelLimits,
): Promise<{ text: string; tokens: number }> {
  const maxTokens = Math.floor(promptLimit(limits) / 4);
  // Both counts in one round trip to the counter's thread, since every turn waits for it.
  const [bare = 0, line = 0] = await counter.count([persona, `${persona}\n`], limits.encoding);
  if (bare <= maxTokens) return { text: persona, tokens: line + 2 * MESSAGE_OVERHEAD };
  const text = await truncateToTokens(counter, persona, maxTokens, limits.encoding);
  return { text, tokens: (await countText(counter, `${text}\n`, limits.encoding)) + 2 * MESSAGE_OVERHEAD };
}

/** A question that alone passes the limit keeps its head and its tail. */
async function fitQuestion(
  { counter }: PromptDependencies,
  questions: readonly Message[],
  limits: ModelLimits,
  tokensTaken: number,
): Promise<{ messages: Message[]; text: string; tokens: number }> {
  const counts = await countMessages(counter, questions, limits.encoding);
  const messages = questions.map((question, i) => ({ ...question, ...counts[i] }));
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
  const text = questionText(questions);
  const maxTokens = promptLimit(limits) - tokensTaken;
  if (tokens <= maxTokens) return { messages, text, tokens };
  const fitted = await truncateToTokens(counter, text, Math.max(0, maxTokens - MESSAGE_OVERHEAD), limits.encoding);
  return { messages, text: fitted, tokens: maxTokens };
}
