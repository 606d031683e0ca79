/** What a test wants to happen at a fault point: throw, kill the process, or return a promise to stall on. */
type FaultHandler = (point: string) => undefined | Promise<void>;

let handler: FaultHandler | null = null;

/** Arms the fault points (null disarms); only tests do, and the variable KEEPSAKE_FAULT which they set for a process. */
export function armFaults(next: FaultHandler | null): void {
  handler = next;
}

/** A named step at which a test can make the program fail; it does nothing unless armed. */
export function faultPoint(point: string): void {
  handler?.(point);
}

/** A fault point in asynchronous code, where a test can also make the program stall. */
export async function faultStep(point: string): Promise<void> {
  if (handler !== null) await handler(point);
}

/**
 * Reads an order such as `summary:committed kill 2`: at the second passage of that point the process kills itself as
 * SIGKILL would (`kill`) or the point throws (`throw`). A point that ends in `*` stands for all points that begin so.
 */
export function faultFromOrder(order: string): FaultHandler {
  const [pattern = '', action = 'kill', count = '1'] = order.split(' ');
  let left = Number(count);
  return (point) => {
    const hit = pattern.endsWith('*') ? point.startsWith(pattern.slice(0, -1)) : point === pattern;
    if (!hit) return undefined;
    left -= 1;
    if (left !== 0) return undefined;
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    throw new Error(`fault injected at ${point}`);
  };
}
