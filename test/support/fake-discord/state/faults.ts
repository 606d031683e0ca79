/** Selects the requests that a fault applies to: all given conditions must hold. */
export type FaultTarget = {
  method?: string;
  /** The decoded path without `/api/v10`: the whole as a string, or a pattern in it. */
  path?: string | RegExp;
  /** A predicate; not available across processes. */
  where?: (request: { method: string; path: string; body: unknown }) => boolean;
  /** How many requests it applies to; 1 by default, `Infinity` until it is removed. */
  times?: number;
  /** How many matching requests are let through first. */
  skip?: number;
};

/** An injected fault of the REST API. `ms` in milliseconds, `retryAfter` in seconds. */
export type Fault =
  /** Responds with this instead of processing the request. An object is sent as JSON, anything else as text. */
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Discord's own 429: `user` is the route's bucket, `shared` does not count as an invalid request. */
  | { kind: 'rate-limited'; scope: 'user' | 'shared' | 'global'; retryAfter: number }
  /** Cloudflare's 429, in HTML. */
  | { kind: 'cloudflare'; retryAfter?: number }
  /** Delays the processing, or (`after`) the response of a request that was processed at once. */
  | { kind: 'delay'; ms: number; when: 'before' | 'after' }
  /** Like `delay`, until `release` is called. */
  | { kind: 'hold'; when: 'before' | 'after' }
  /** Processes the request, then breaks the connection or never responds. */
  | { kind: 'lose-answer'; how: 'reset' | 'hang' }
  /** Does not process the request; breaks the connection or never responds. */
  | { kind: 'drop'; how: 'reset' | 'hang' };

/** Identifies an injected fault. */
export type FaultHandle = { id: number };

/** The injected faults. At most one applies to a request: the one that was added first. */
export type Faults = {
  add(target: FaultTarget, fault: Fault): FaultHandle;
  remove(handle: FaultHandle): void;
  clear(): void;
  /** Returns how many requests it has applied to. */
  hits(handle: FaultHandle): number;
  /** Ends the fault and lets all requests continue that a `hold` stopped. */
  release(handle: FaultHandle): void;
  /** Finds the fault for a request and counts it. `released` resolves when a hold is released. */
  take(request: { method: string; path: string; body: unknown }): { fault: Fault; released: Promise<void> } | undefined;
};

type PlannedFault = {
  id: number;
  target: FaultTarget;
  fault: Fault;
  seen: number;
  hits: number;
  ended: boolean;
  released: Promise<void>;
  release(): void;
};

/** Creates an empty set of faults. */
export function createFaults(): Faults {
  const planned: PlannedFault[] = [];
  const planOf = ({ id }: FaultHandle) => {
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
      planned.push({ id, target, fault, seen: 0, hits: 0, ended: false, released, release });
      return { id };
    },
    remove(handle) {
      planOf(handle).ended = true;
      planOf(handle).release();
    },
    clear() {
      for (const plan of planned) {
        plan.ended = true;
        plan.release();
      }
    },
    hits: (handle) => planOf(handle).hits,
    release(handle) {
      planOf(handle).ended = true;
      planOf(handle).release();
    },
    take(request) {
      const plan = planned.find((each) => applies(each, request));
      if (plan === undefined) return undefined;
      plan.hits += 1;
      return { fault: plan.fault, released: plan.released };
    },
  };
}

function applies(plan: PlannedFault, request: { method: string; path: string; body: unknown }): boolean {
  const { method, path, where, times = 1, skip = 0 } = plan.target;
  if (plan.ended || plan.hits >= times) return false;
  if (method !== undefined && method !== request.method) return false;
  if (typeof path === 'string' && path !== request.path) return false;
  if (path instanceof RegExp && !path.test(request.path)) return false;
  if (where !== undefined && !where(request)) return false;
  plan.seen += 1;
  return plan.seen > skip;
}
