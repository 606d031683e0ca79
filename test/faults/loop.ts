import { armFaults } from '../../src/fault.js';
import { MARK } from '../support/check-promises.js';
import { answer } from '../support/fake-openai/scripts.js';
import { isFold, lastLine, promptText, type World } from '../support/in-process-bot.js';

/** What a fault does at its point: throw there, or keep the program waiting until the test lets it go on. */
export type FaultKind = 'throw' | 'stall';

/** One armed fault; `hit` is the point at which it struck, or null; `struck` resolves when it does. */
export type Armed = { hit: string | null; struck: Promise<void>; release(): void };

/** Points in the middle of a transaction, where nothing can wait. */
const SYNCHRONOUS = /:(?:before-commit|committed)$/u;

/** Lets the `n`th fault point that is passed from now on throw, or stall until it is released. */
export function failAt(n: number, kind: FaultKind): Armed {
  let left = n;
  let strike = () => {};
  let goOn = () => {};
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const struck = new Promise<void>((resolve) => {
    strike = resolve;
  });
  const armed: Armed = {
    hit: null,
    struck,
    release() {
      armFaults(null);
      goOn();
    },
  };
  armFaults((point) => {
    if (armed.hit !== null || (kind === 'stall' && SYNCHRONOUS.test(point))) return undefined;
    left -= 1;
    if (left > 0) return undefined;
    armed.hit = point;
    strike();
    if (kind === 'throw') throw new Error(`fault injected at ${point}`);
    return released;
  });
  return armed;
}

/** Answers with the question's mark turned into an answer's, and summarises by naming the marks that it was given. */
export function answerByMarks(world: World): void {
  world.model.respond = (request) => {
    if (isFold(request)) return answer(`Told: ${(promptText(request).match(MARK) ?? ['nothing']).join(' ')}`);
    const asked = lastLine(request).match(MARK)?.at(-1) ?? 'nothing';
    return answer(`Reply ${asked.replace(/q$/u, 'r')} as asked.`);
  };
}

/** Resolves when no question waits and no fold runs. */
export async function atRest({ running }: World): Promise<void> {
  const { chatbot } = running();
  for (;;) {
    await chatbot.folded(5_000);
    if ((await chatbot.places.pending()).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
