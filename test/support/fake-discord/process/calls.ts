/** A call from the parent: the path of a function in FakeDiscord, or `start`. */
export type RemoteCall = { id: number; path: string[]; args: unknown[] };

/** What came of a call. */
export type RemoteResult = { id: number; value?: unknown; error?: string };

/** A value without the functions in it, which cannot cross to another process. */
export function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function') return undefined;
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, inner]) => typeof inner !== 'function');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutFunctions(inner)]));
}
