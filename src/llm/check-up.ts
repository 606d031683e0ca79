import { ModelError } from '../conversation/errors.js';
import { type Finding, unwell, well } from '../conversation/finding.js';
import type { Connection } from './connect.js';

/** Asks the connected model for one word; the finding says who answered, or what to mend. */
export async function checkModel({ model, notice, source }: Connection): Promise<Finding> {
  if (source === 'offline') return well('model', notice);
  const prompt = {
    system: 'Answer with the word ok.',
    messages: [{ role: 'user' as const, content: 'Are you there?' }],
  };
  try {
    for await (const _ of model.stream(prompt, { task: 'answer', maxTokens: 256 })) break;
    return well('model', `${model.id} answers. ${notice}`);
  } catch (error) {
    const mend = error instanceof ModelError ? error.message : 'it failed for a reason of its own';
    return unwell('model', `${model.id} does not answer: ${mend}`);
  }
}
