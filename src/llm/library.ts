/** LangChain's OpenAI module; it is loaded at the first call, so that a start does not wait for it. */
export type OpenAILibrary = typeof import('@langchain/openai');

/** Loads the module, once. */
export function loadOpenAI(): Promise<OpenAILibrary> {
  return import('@langchain/openai');
}

/** Loads what the first call will need, for a caller that has time while a person is typing. */
export async function warmOpenAI(): Promise<void> {
  await loadOpenAI();
}
