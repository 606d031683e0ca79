import type { Meter } from '../conversation/meter.js';
import type { ChatModel, Completion } from '../conversation/model.js';
import { type TextStream, tapped } from '../conversation/stream.js';

/** The same model, its tokens counted and, for answers, the time to its first piece and to its last taken. */
export function measured(model: ChatModel, meter: Meter): ChatModel {
  return {
    id: model.id,
    encoding: model.encoding,
    contextWindow: model.contextWindow,
    safety: model.safety,
    async *stream(prompt, call): TextStream {
      const began = performance.now();
      const time = (part: 'first-token' | 'model') => {
        if (call.task === 'answer') meter.time(part, performance.now() - began);
      };
      let first = true;
      const completion = yield* tapped(model.stream(prompt, call), () => {
        if (first) time('first-token');
        first = false;
      });
      time('model');
      countTokens(meter, completion);
      return completion;
    },
  };
}

function countTokens(meter: Meter, { usage }: Completion): void {
  if (usage === null) return;
  meter.count('tokens', { direction: 'input' }, usage.input);
  meter.count('tokens', { direction: 'output' }, usage.output);
}
