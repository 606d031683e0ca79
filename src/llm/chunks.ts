import type { AIMessageChunk } from '@langchain/core/messages';
import type { Completion, ModelCall, Prompt, Usage } from '../conversation/model.js';
import { chatFields, chatMessages, type ModelOnEndpoint } from './chat-fields.js';
import type { Watch } from './deadlines.js';
import { loadOpenAI } from './library.js';
import { usageOf } from './usage.js';
import { type Seen, watchedFetch } from './wire.js';

/** One piece of a response: its text, and what it says of the end. Reasoning that comes apart is left out. */
export type Chunk = { text: string; finish: Completion['finish'] | null; usage: Usage | null };

/** Servers have many words for an ordinary end, and some send an empty reason with every chunk. */
function finishOf(reason: unknown): Completion['finish'] | null {
  if (typeof reason !== 'string' || reason === '') return null;
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'content_filter' ? 'filtered' : 'stop';
}

function read({ content, response_metadata }: AIMessageChunk): Chunk {
  return {
    text: typeof content === 'string' ? content : '',
    finish: finishOf(response_metadata.finish_reason),
    usage: usageOf(response_metadata.usage),
  };
}

function recorded({ task, metadata }: ModelCall, model: string) {
  if (metadata === undefined) return {};
  const { sessionId, strategy } = metadata;
  return { runName: task, metadata: { session_id: sessionId, strategy, model } };
}

/** Sends one request and gives its chunks. What the response looked like is written into `seen`. */
export async function* chunksOf(
  where: ModelOnEndpoint,
  prompt: Prompt,
  call: ModelCall,
  watch: Watch,
  seen: Seen,
): AsyncGenerator<Chunk, void, void> {
  const { ChatOpenAI } = await watch.wait(loadOpenAI(), 'unbounded');
  const chat = new ChatOpenAI(chatFields(where, call, watchedFetch(seen, watch.heard)));
  watch.begin();
  const options = { signal: watch.signal, ...recorded(call, where.model) };
  const stream = await watch.wait(chat.stream(chatMessages(prompt), options));
  for (;;) {
    const step = await watch.wait(stream.next());
    if (step.done === true) return;
    yield read(step.value);
  }
}
