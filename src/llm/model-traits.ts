import type { ChatModel, Encoding } from '../conversation/model.js';
import type { Dialect } from './http.js';

type ModelTraits = Pick<ChatModel, 'encoding' | 'contextWindow' | 'safety'>;

/** The usual window of a local server. */
const DEFAULT_WINDOW = 4_096;

/** Windows by name prefix; the first that fits counts (https://platform.openai.com/docs/models). */
const WINDOWS: readonly [prefix: string, tokens: number][] = [
  ['gpt-5-chat', 128_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4.5', 128_000],
  ['gpt-4o', 128_000],
  ['chatgpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4-1106', 128_000],
  ['gpt-4-0125', 128_000],
  ['gpt-4-32k', 32_768],
  ['gpt-4', 8_192],
  ['gpt-3.5-turbo', 16_385],
  ['o1-mini', 128_000],
  ['o1-preview', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
];

/**
 * Derives encoding, context window and safety margin from a model's name. Names are trusted only at OpenAI's own
 * endpoint; elsewhere the window is 4,096 tokens unless `contextWindow` says otherwise, and the safety margin is wider.
 */
export function modelTraits(name: string, dialect: Dialect, contextWindow: number | undefined): ModelTraits {
  const isOpenAI = dialect === 'openai';
  const baseName = name.replace(/^ft:/, '');
  const known = isOpenAI ? WINDOWS.find(([prefix]) => baseName.startsWith(prefix))?.[1] : undefined;
  return {
    encoding: encodingOf(baseName),
    contextWindow: contextWindow ?? known ?? DEFAULT_WINDOW,
    safety: isOpenAI ? 0.05 : 0.2,
  };
}

function encodingOf(baseName: string): Encoding {
  return /^gpt-(4(?![o.])|3\.5)/.test(baseName) ? 'cl100k_base' : 'o200k_base';
}
