import type { Summary } from '../conversation/history.js';
import type { Session } from '../conversation/session.js';
import type { Resolved, ResolvedSettings, Strategy } from '../conversation/settings.js';
import { promptLimit } from '../memory/budget.js';
import { describeStrategy } from '../memory/strategy-options.js';
import type { FoldState } from './compaction.js';
import type { Dependencies } from './dependencies.js';
import { type Recall, recall } from './recall.js';

/** How much the next request would carry. */
export type PromptLoad = { messages: number; tokens: number };

/** Exactly what the next request of a session would carry, and why; tokens are upper bounds. */
export type MemoryReport = {
  strategy: Resolved<Strategy>;
  /** The strategy as one would type it. */
  strategyText: string;
  settings: ResolvedSettings;
  model: string;
  contextWindow: number;
  /** Tokens by part; all of them add up to the context window. */
  parts: { persona: number; summary: number; messages: number; answer: number; safety: number; free: number };
  sent: number;
  stored: number;
  /** Stored messages that the model no longer sees word for word. */
  unseen: number;
  summary: Summary | null;
  /** A summary that waits to be rebuilt since something it covers was edited or erased. */
  rebuilding: boolean;
  limitedBy: 'strategy' | 'budget' | null;
  /** Whether retention has deleted messages that the strategy would otherwise have sent. */
  cutByRetention: boolean;
  retentionDays: number;
  fold: FoldState;
};

/** Looks at a session as the next turn would. */
export async function reportMemory(deps: Dependencies, session: Session): Promise<MemoryReport> {
  const recalled = await recall(deps, session, []);
  const facts = await deps.store.sessionFacts(session.id);
  const { plan, settings, window, history } = recalled;
  const strategy = settings.strategy;
  const sees = plan.summary?.throughSeq ?? 0;
  return {
    strategy,
    strategyText: describeStrategy(strategy.value),
    settings,
    model: recalled.model.id,
    contextWindow: window.contextWindow,
    parts: partsOf(recalled),
    sent: plan.messages.length,
    stored: facts.messages,
    unseen: Math.max(0, facts.messages - plan.messages.length),
    summary: plan.summary,
    rebuilding: history.dirtyThrough !== null,
    limitedBy: plan.limitedBy,
    cutByRetention: facts.sweptThrough > sees && history.complete && reachesBeginning(recalled),
    retentionDays: deps.options.retentionDays,
    fold: deps.compaction.state(session.id),
  };
}

/** What the next request would carry, as it is or under another strategy. */
export async function measurePromptLoad(deps: Dependencies, session: Session): Promise<PromptLoad> {
  const { plan, tokens } = await recall(deps, session, []);
  return { messages: plan.messages.length, tokens: tokens.persona + tokens.summary + tokens.messages };
}

/** Whether everything that is stored was wanted; answers left without their question are dropped all the same. */
function reachesBeginning({ history, plan }: Recall): boolean {
  const dropped = history.messages.slice(0, history.messages.length - plan.messages.length);
  return dropped.every(({ role }) => role === 'assistant');
}

function partsOf({ tokens, window }: Recall): MemoryReport['parts'] {
  const answer = Math.min(window.maxAnswerTokens, Math.floor(window.contextWindow / 2));
  const safety = window.contextWindow - answer - promptLimit(window);
  const free = window.contextWindow - answer - safety - tokens.persona - tokens.summary - tokens.messages;
  return {
    persona: tokens.persona,
    summary: tokens.summary,
    messages: tokens.messages,
    answer,
    safety,
    free: Math.max(0, free),
  };
}
