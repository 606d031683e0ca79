import type { History } from '../conversation/history.js';
import type { Budget } from './budget.js';
import type { MemoryPlan } from './memory-plan.js';
import { trimToBudget } from './trim.js';
import { newestTurns } from './turns.js';

/** The newest k stored messages, or answered turns with the talk after them; no summary. */
export function planWindow(
  history: History,
  settings: { k: number; unit: 'messages' | 'turns' },
  budget: Budget,
): MemoryPlan {
  const rows = history.messages;
  const from = settings.unit === 'turns' ? newestTurns(rows, settings.k) : Math.max(0, rows.length - settings.k);
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}
