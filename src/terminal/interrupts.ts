import type { Interface } from 'node:readline';
import type { Writable } from 'node:stream';

/** What Ctrl-C does in a chat, and whether the chat is over. */
export type Interrupts = {
  readonly ended: boolean;
  /** Runs one piece of work that the first Ctrl-C stops. */
  watch(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Gives Ctrl-C back to whoever had it before. */
  close(): void;
};

/**
 * Listens to Ctrl-C: the first one stops what runs; the next one, or one while nothing runs, ends the chat, and so does
 * an output that broke. A line that is typed in between begins anew.
 */
export function createInterrupts(lines: Interface, output: Writable): Interrupts {
  let running: AbortController | null = null;
  let stopped = false;
  let ended = false;
  const end = () => {
    ended = true;
    running?.abort();
    lines.close();
  };
  const interrupt = () => {
    if (running === null || stopped) return end();
    stopped = true;
    running.abort();
  };
  const typed = () => {
    stopped = false;
  };
  lines.on('SIGINT', interrupt);
  lines.on('line', typed);
  process.on('SIGINT', interrupt);
  output.on('error', end);
  return {
    get ended() {
      return ended;
    },
    async watch(work) {
      running = new AbortController();
      try {
        await work(running.signal);
      } finally {
        running = null;
      }
    },
    close: () => void process.off('SIGINT', interrupt),
  };
}
