import type { ModelCall, Prompt, PromptMessage } from '../../src/conversation/model.js';
import { createOfflineModel } from '../../src/llm/offline-model.js';

/** The first line of every answer, and that for readers of Chinese. */
export const LABEL = '[offline model: no language model is connected; quoting memory]';
export const LABEL_ZH = '[offline model 离线模型：没有连接语言模型，以下引自记忆]';

const model = createOfflineModel();

/** The whole text of one call, with the pieces in which it came. */
export async function write(prompt: Prompt, call: Partial<ModelCall> = {}) {
  const pieces: string[] = [];
  const stream = model.stream(prompt, { task: 'answer', maxTokens: 1_000, ...call });
  for (;;) {
    const step = await stream.next();
    if (step.done) return { text: pieces.join(''), pieces, completion: step.value };
    pieces.push(step.value);
  }
}

/** The answer to a question after what was said, with an optional summary; the label's line is taken off. */
export async function ask(said: readonly string[], question: string, summary?: string): Promise<string> {
  const messages: PromptMessage[] = said.flatMap((content): PromptMessage[] => [
    { role: 'user', content },
    { role: 'assistant', content: 'As you say.' },
  ]);
  const { text } = await write({
    system: summary === undefined ? 'You are Keepsake.' : `You are Keepsake.\n\n${fence('summary', summary)}`,
    messages: [...messages, { role: 'user', content: question }],
  });
  const [label, ...rest] = text.split('\n');
  if (label !== LABEL && label !== LABEL_ZH) throw new Error(`not labelled: ${text}`);
  return rest.join('\n');
}

/** Folds transcript lines, and an earlier summary if there is one. */
export async function fold(lines: readonly string[], previous: string | null = null, maxTokens = 400): Promise<string> {
  const transcript = fence('transcript', lines.join('\n'));
  const content = previous === null ? transcript : `${fence('summary', previous)}\n${transcript}`;
  const prompt: Prompt = { system: 'Summarise.', messages: [{ role: 'user', content }] };
  return (await write(prompt, { task: 'summary', maxTokens })).text;
}

/** A text between marks, as the chatbot puts it. */
export function fence(name: string, text: string, mark = 'a1b2c3d4e5f6'): string {
  return `<${name}-${mark}>\n${text}\n</${name}-${mark}>`;
}
