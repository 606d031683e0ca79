import type { Usage } from '../conversation/model.js';

/** More tokens than any window holds. */
const ABSURD = 10_000_000;

function count(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < ABSURD ? (value as number) : null;
}

/** Usage as an endpoint reported it, or null when it is missing or cannot be true: zero, negative or beyond any window. */
export function usageOf(reported: unknown): Usage | null {
  if (typeof reported !== 'object' || reported === null) return null;
  const { prompt_tokens, completion_tokens } = reported as Record<string, unknown>;
  const input = count(prompt_tokens);
  const output = count(completion_tokens);
  return input === null || output === null ? null : { input, output };
}
