import type { Meter } from '../conversation/meter.js';
import type { ChatModel, Completion } from '../conversation/model.js';

/** The same model, its tokens counted and, for answers, the time to its first piece and to its last taken. */
export function measured(model: ChatModel, meter: Meter): ChatModel {
  return {
    id: model.id,
    encoding: model.encoding,
    contextWindow: model.contextWindow,
    safety: model.safety,
    async *stream(prompt, call): AsyncGenerator<string, Completion, void> {
      const began = performance.now();
      const time = (part: 'first-token' | 'model') => {
        if (call.task === 'answer') meter.time(part, performance.now() - began);
      };
      const stream = model.stream(prompt, call);
      let first = true;
      try {
        for (;;) {
          const step = await stream.next();
          if (step.done) {
            time('model');
            countTokens(meter, step.value);
            return step.value;
          }
          if (first) time('first-token');
          first = false;
          yield step.value;
        }
      } finally {
        await stream.return(undefined as never);
      }
    },
  };
}

function countTokens(meter: Meter, { usage }: Completion): void {
  if (usage === null) return;
  meter.count('tokens', { direction: 'input' }, usage.input);
  meter.count('tokens', { direction: 'output' }, usage.output);
}
