import type { ChatModel, Encoding } from '../conversation/model.js';
import type { Dialect } from './http.js';

/** What a name tells about a model: see `ChatModel`. */
type ModelTraits = Pick<ChatModel, 'encoding' | 'contextWindow' | 'safety'>;

/** What is assumed where nothing is known: the usual window of a local server. */
const UNKNOWN_WINDOW = 4_096;

/** Windows by the beginning of the name, the first that fits (https://platform.openai.com/docs/models). */
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

function encodingOf(name: string): Encoding {
  return /^gpt-(4(?![o.])|3\.5)/.test(name) ? 'cl100k_base' : 'o200k_base';
}

/**
 * What is known of a model by its name. Names are believed only at OpenAI's own endpoint; anyone else's model counts as
 * unknown: 4,096 tokens unless `contextWindow` says otherwise, and a wider safety margin.
 */
export function modelTraits(name: string, dialect: Dialect, contextWindow: number | undefined): ModelTraits {
  const own = dialect === 'openai';
  const base = name.replace(/^ft:/, '');
  const known = own ? WINDOWS.find(([prefix]) => base.startsWith(prefix))?.[1] : undefined;
  return {
    encoding: encodingOf(base),
    contextWindow: contextWindow ?? known ?? UNKNOWN_WINDOW,
    safety: own ? 0.05 : 0.2,
  };
}
