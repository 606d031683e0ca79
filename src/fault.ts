/** Handles a fault point: throws, kills the process, or returns a promise that stalls it. */
type FaultHandler = (point: string) => undefined | Promise<void>;

let handler: FaultHandler | null = null;

/** Arms the fault points (null disarms); only tests do, also through the variable KEEPSAKE_FAULT of a process. */
export function armFaults(next: FaultHandler | null): void {
  handler = next;
}

/** Marks a step at which a test can make the program fail; does nothing unless armed. */
export function faultPoint(point: string): void {
  handler?.(point);
}

/** Marks an asynchronous step at which a test can make the program fail or stall. */
export async function faultStep(point: string): Promise<void> {
  if (handler !== null) await handler(point);
}

/**
 * Parses a fault such as `summary:committed kill 2`: the second time that this point is passed, the process kills itself with
 * SIGKILL (`kill`) or the point throws (`throw`). A pattern that ends in `*` matches all points with that prefix.
 */
export function parseFault(text: string): FaultHandler {
  const [pattern = '', action = 'kill', count = '1'] = text.split(' ');
  let left = Number(count);
  return (point) => {
    const matches = pattern.endsWith('*') ? point.startsWith(pattern.slice(0, -1)) : point === pattern;
    if (!matches) return undefined;
    left -= 1;
    if (left !== 0) return undefined;
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    throw new Error(`fault injected at ${point}`);
  };
}
