import type { Summary } from '../conversation/history.js';
import type { Session } from '../conversation/session.js';
import type { Resolved, ResolvedSettings, Strategy } from '../conversation/settings.js';
import { answerLimit, promptLimit } from '../memory/budget.js';
import { describeStrategy } from '../memory/strategy-options.js';
import type { FoldState } from './compaction.js';
import type { Dependencies } from './dependencies.js';
import { type PreparedPrompt, preparePrompt } from './prepare-prompt.js';

/** The size of the next request's history. */
export type PromptLoad = { messages: number; tokens: number };

/** The contents of a session's next request, and their reasons; tokens are upper bounds. */
export type MemoryReport = {
  strategy: Resolved<Strategy>;
  /** The strategy's command text. */
  strategyText: string;
  settings: ResolvedSettings;
  model: string;
  contextWindow: number;
  /** Tokens by part; all of them add up to the context window. */
  parts: { persona: number; summary: number; messages: number; answer: number; safety: number; free: number };
  sent: number;
  stored: number;
  /** Stored messages that are not sent word for word. */
  unseen: number;
  summary: Summary | null;
  /** Whether a summary waits for its rebuild, since a message that it covers was edited or erased. */
  rebuilding: boolean;
  limitedBy: 'strategy' | 'budget' | null;
  /** Whether retention has deleted messages that the strategy would otherwise have sent. */
  cutByRetention: boolean;
  retentionDays: number;
  fold: FoldState;
};

/** Reports a session's memory as the next turn would recall it. */
export async function reportMemory(deps: Dependencies, session: Session): Promise<MemoryReport> {
  const prepared = await preparePrompt(deps, session, []);
  const facts = await deps.store.sessionFacts(session.id);
  const { plan, settings, modelLimits, history } = prepared;
  const { strategy } = settings;
  const coveredThrough = plan.summary?.throughSeq ?? 0;
  return {
    strategy,
    strategyText: describeStrategy(strategy.value),
    settings,
    model: prepared.model.id,
    contextWindow: modelLimits.contextWindow,
    parts: partsOf(prepared),
    sent: plan.messages.length,
    stored: facts.messages,
    unseen: Math.max(0, facts.messages - plan.messages.length),
    summary: plan.summary,
    rebuilding: history.dirtyThrough !== null,
    limitedBy: plan.limitedBy,
    cutByRetention: facts.sweptThrough > coveredThrough && history.complete && sendsAllLoaded(prepared),
    retentionDays: deps.options.retentionDays,
    fold: deps.compaction.state(session.id),
  };
}

export async function measurePromptLoad(deps: Dependencies, session: Session): Promise<PromptLoad> {
  const { plan, tokens } = await preparePrompt(deps, session, []);
  return { messages: plan.messages.length, tokens: tokens.persona + tokens.summary + tokens.messages };
}

/** Answers without their question are never sent, so they do not count as left out. */
function sendsAllLoaded({ history, plan }: PreparedPrompt): boolean {
  const dropped = history.messages.slice(0, history.messages.length - plan.messages.length);
  return dropped.every(({ role }) => role === 'assistant');
}

function partsOf({ tokens, modelLimits }: PreparedPrompt): MemoryReport['parts'] {
  const { persona, summary, messages } = tokens;
  const { contextWindow } = modelLimits;
  const answer = answerLimit(modelLimits);
  const safety = contextWindow - answer - promptLimit(modelLimits);
  const free = Math.max(0, contextWindow - answer - safety - persona - summary - messages);
  return { persona, summary, messages, answer, safety, free };
}
