/** Carries out one verb: at once, and returning copies, so that nobody outside holds what the store holds. */
export type Act = <T>(work: () => T) => Promise<T>;
