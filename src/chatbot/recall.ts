import type { History } from '../conversation/history.js';
import { MESSAGE_OVERHEAD, type Message } from '../conversation/message.js';
import type { ChatModel, Prompt, PromptImage } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings, Strategy } from '../conversation/settings.js';
import { type Budget, budgetFor, messageCost, promptLimit, summaryCost, type Window } from '../memory/budget.js';
import { type MemoryPlan, planMemory, reachFor } from '../memory/plan.js';
import { countMessages, fitText, withCounts } from './counting.js';
import type { Parts } from './parts.js';
import { buildPrompt, questionText, systemText } from './prompt.js';
import { settingsFor } from './settings.js';
import type { Windows } from './windows.js';

/** What a picture in low detail costs at most, in tokens; OpenAI's dearest small model takes 2,833. */
const IMAGE_TOKENS = 3_000;

/** Everything that decides what the model is sent for one question, and the prompt itself. */
export type Recall = {
  settings: ResolvedSettings;
  model: ChatModel;
  window: Window;
  budget: Budget;
  history: History;
  plan: MemoryPlan;
  /** Questions with their counts. */
  questions: Message[];
  /** Tokens of each part of the prompt, as upper bounds. */
  tokens: { persona: number; summary: number; messages: number; question: number };
  prompt: Prompt;
};

/** Reads and plans what a question brings back; with no questions, what the next one would. Nothing is written but missing counts. */
export async function recall(
  parts: Parts,
  windows: Windows,
  session: Session,
  questions: readonly Message[],
  more: { strategy?: Strategy | undefined; images?: readonly PromptImage[] } = {},
): Promise<Recall> {
  const { store, counter, options } = parts;
  const settings = await settingsFor(store, session, options);
  const model = parts.modelNamed(settings.model.value);
  const window = windows.of(model, options.maxAnswerTokens);
  const persona = await fixedText(parts, settings.persona.value, window);
  // The question counts for more than what it shows.
  const images = (more.images ?? []).slice(0, Math.floor(promptLimit(window) / 2 / IMAGE_TOKENS));
  const pictures = images.length * IMAGE_TOKENS;
  const asked = await askedText(parts, questions, window, persona.tokens + pictures);
  const budget = budgetFor(window, { system: persona.tokens, question: asked.tokens + pictures });
  const chosen = more.strategy ?? settings.strategy.value;
  const history = await store.loadHistory(session.id, reachFor(chosen, budget), questions[0]?.seq);
  history.messages = await withCounts(store, counter, history.messages, model.encoding);
  const plan = planMemory(history, chosen, budget);
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
async function fixedText(parts: Parts, persona: string, window: Window): Promise<{ text: string; tokens: number }> {
  const { counter } = parts;
  const room = Math.floor(promptLimit(window) / 4);
  // Both counts in one trip to the counter's thread, since this stands on the way of every turn.
  const [bare = 0, line = 0] = await counter.count([persona, `${persona}\n`], window.encoding);
  if (bare <= room) return { text: persona, tokens: line + 2 * MESSAGE_OVERHEAD };
  const text = await fitText(counter, persona, room, window.encoding);
  const [tokens = 0] = await counter.count([`${text}\n`], window.encoding);
  return { text, tokens: tokens + 2 * MESSAGE_OVERHEAD };
}

/** The question's lines and counts; a question that alone passes the limit keeps its head and its tail. */
async function askedText(parts: Parts, questions: readonly Message[], window: Window, persona: number) {
  const counts = await countMessages(parts.counter, questions, window.encoding);
  const counted = questions.map((question, i) => ({ ...question, ...counts[i] }));
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
  const text = questionText(questions);
  const room = promptLimit(window) - persona;
  if (tokens <= room) return { questions: counted, text, tokens };
  const fitted = await fitText(parts.counter, text, Math.max(0, room - MESSAGE_OVERHEAD), window.encoding);
  return { questions: counted, text: fitted, tokens: room };
}
