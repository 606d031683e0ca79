import { armFaults } from '../../src/fault.js';
import { MARK } from '../support/check-promises.js';
import { answer } from '../support/fake-openai/scripts.js';
import { gate } from '../support/gate.js';
import type { InProcessWorld } from '../support/in-process-world.js';
import { isFold, lastLine, promptText } from '../support/scripted-endpoint.js';

/** What a fault does at its point: throw there, or keep the program waiting until the test lets it go on. */
export type FaultKind = 'throw' | 'stall';

/** One armed fault; `hit` is the point at which it struck, or null; `struck` resolves when it does. */
export type Armed = { hit: string | null; struck: Promise<void>; release(): void };

/** Points in the middle of a transaction, where nothing can wait. */
const SYNCHRONOUS = /:(?:before-commit|committed)$/u;

/** Lets the `n`th fault point that is passed from now on throw, or stall until it is released. */
export function failAt(n: number, kind: FaultKind): Armed {
  let left = n;
  return arm(kind, () => {
    left -= 1;
    return left === 0;
  });
}

/** Lets the first point throw or stall that is `wanted`. */
function arm(kind: FaultKind, wanted: (point: string) => boolean): Armed {
  const [struck, released] = [gate(), gate()];
  const armed: Armed = {
    hit: null,
    struck: struck.opened,
    release() {
      armFaults(null);
      released.open();
    },
  };
  armFaults((point) => {
    if (kind === 'stall' && SYNCHRONOUS.test(point)) return undefined;
    if (!wanted(point) || armed.hit !== null) return undefined;
    armed.hit = point;
    struck.open();
    if (kind === 'throw') throw new Error(`fault injected at ${point}`);
    return released.opened;
  });
  return armed;
}

/** Answers with the question's mark turned into an answer's, and summarises by naming the marks that it was given. */
export function answerByMarks(world: InProcessWorld): void {
  world.model.respond = (request) => {
    if (isFold(request)) return answer(`Told: ${(promptText(request).match(MARK) ?? ['nothing']).join(' ')}`);
    const asked = lastLine(request).match(MARK)?.at(-1) ?? 'nothing';
    return answer(`Reply ${asked.replace(/q$/u, 'r')} as asked.`);
  };
}

/** Resolves when no question waits and no fold runs. */
export async function atRest({ running }: InProcessWorld): Promise<void> {
  const { chatbot } = running();
  for (;;) {
    await chatbot.folded(5_000);
    if ((await chatbot.sessions.pendingSessions()).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Faults at every step that any run has passed, whatever order the steps come in. */
export type FaultLoop = {
  /** Steps that have struck. */
  struck: Set<string>;
  /** Arms the next one; the first run is only watched. Null when every step has struck. */
  next(): Armed | null;
};

/** How often a step is tried that some runs pass and others do not. */
const TRIES = 2;

/** Goes through all steps of one kind of run, each at its first and its second passage. */
export function faultLoop(kind: FaultKind): FaultLoop {
  const tries = new Map<string, number>();
  const struck = new Set<string>();
  let watched = false;
  return {
    struck,
    next() {
      const wanted = [...tries].find(([step, tried]) => !struck.has(step) && tried < TRIES)?.[0];
      if (watched && wanted === undefined) return null;
      watched = true;
      if (wanted !== undefined) tries.set(wanted, (tries.get(wanted) ?? 0) + 1);
      const passages = new Map<string, number>();
      return arm(kind, (point) => {
        const passage = (passages.get(point) ?? 0) + 1;
        passages.set(point, passage);
        const step = `${point} ${passage}`;
        if (passage <= 2 && !tries.has(step)) tries.set(step, 0);
        if (step === wanted) struck.add(step);
        return step === wanted;
      });
    },
  };
}
