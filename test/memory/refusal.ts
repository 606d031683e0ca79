import { CommandError } from '../../src/conversation/errors.js';
import type { StrategyName } from '../../src/conversation/settings.js';
import { parseStrategy } from '../../src/memory/strategy-options.js';

/** A command's options. */
export type Options = Record<string, number | string>;

/** The error with which options are refused; fails when they are accepted. */
export function refusal(name: StrategyName, options: Options): CommandError {
  try {
    parseStrategy(name, options);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error(`${name} ${JSON.stringify(options)} was accepted`);
}
