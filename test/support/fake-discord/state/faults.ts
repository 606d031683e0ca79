/** Which requests a fault meets; all that is given must hold. */
export type FaultTarget = {
  method?: string;
  /** The whole decoded path without `/api/v10`, or a pattern in it. */
  path?: string | RegExp;
  /** Only in process. */
  where?: (request: { method: string; path: string; body: unknown }) => boolean;
  /** How many requests it meets; 1 unless said otherwise. `Infinity` goes on until it is removed. */
  times?: number;
  /** How many matching requests pass before it begins. */
  skip?: number;
};

/** What goes wrong. Durations in milliseconds, `retryAfter` in seconds. */
export type Fault =
  /** Answers without doing the work. `body` as JSON when it is an object, else as text. */
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Discord's own 429. `user` names a bucket of the route, `shared` counts against nobody. */
  | { kind: 'rate-limited'; scope: 'user' | 'shared' | 'global'; retryAfter: number }
  /** Cloudflare's 429: HTML and no JSON. */
  | { kind: 'cloudflare'; retryAfter?: number }
  /** Waits, then goes on; `when: 'after'` does the work at once and is late with the answer. */
  | { kind: 'delay'; ms: number; when: 'before' | 'after' }
  /** Waits like `delay`, until `release` is called. */
  | { kind: 'hold'; when: 'before' | 'after' }
  /** Does the work; then the answer is lost: the connection breaks, or nothing ever comes. */
  | { kind: 'lose-answer'; how: 'reset' | 'hang' }
  /** Does no work; the connection breaks, or nothing ever comes. */
  | { kind: 'drop'; how: 'reset' | 'hang' };

/** A fault that was set up. */
export type FaultHandle = { id: number };

/** Faults of the REST API, met in the order in which they were set up; a request meets one at most. */
export type Faults = {
  add(target: FaultTarget, fault: Fault): FaultHandle;
  remove(handle: FaultHandle): void;
  clear(): void;
  /** How many requests met it so far. */
  hits(handle: FaultHandle): number;
  /** Lets all requests go on that a `hold` keeps, and ends the fault. */
  release(handle: FaultHandle): void;
  /** Takes the fault that a request meets. `released` resolves when a hold is over. */
  take(request: { method: string; path: string; body: unknown }): { fault: Fault; released: Promise<void> } | undefined;
};

type Planned = {
  id: number;
  target: FaultTarget;
  fault: Fault;
  seen: number;
  hits: number;
  over: boolean;
  released: Promise<void>;
  release(): void;
};

/** No faults. */
export function createFaults(): Faults {
  const planned: Planned[] = [];
  const at = ({ id }: FaultHandle) => {
    const found = planned[id - 1];
    if (found === undefined) throw new Error(`no fault ${id}`);
    return found;
  };
  return {
    add(target, fault) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const id = planned.length + 1;
      planned.push({ id, target, fault, seen: 0, hits: 0, over: false, released, release });
      return { id };
    },
    remove(handle) {
      at(handle).over = true;
      at(handle).release();
    },
    clear() {
      for (const plan of planned) {
        plan.over = true;
        plan.release();
      }
    },
    hits: (handle) => at(handle).hits,
    release(handle) {
      at(handle).over = true;
      at(handle).release();
    },
    take(request) {
      const plan = planned.find((each) => isMet(each, request));
      if (plan === undefined) return undefined;
      plan.hits += 1;
      return { fault: plan.fault, released: plan.released };
    },
  };
}

function isMet(plan: Planned, request: { method: string; path: string; body: unknown }): boolean {
  const { method, path, where, times = 1, skip = 0 } = plan.target;
  if (plan.over || plan.hits >= times) return false;
  if (method !== undefined && method !== request.method) return false;
  if (typeof path === 'string' && path !== request.path) return false;
  if (path instanceof RegExp && !path.test(request.path)) return false;
  if (where !== undefined && !where(request)) return false;
  plan.seen += 1;
  return plan.seen > skip;
}
