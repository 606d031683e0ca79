import type { Entry } from './journal-entries.js';

/** What an entry must be; all that is given must hold. A request only matches once it is completed, unless `outcome` says otherwise. */
export type Pattern = {
  kind?: Entry['kind'];
  method?: string;
  /** The whole decoded path without `/api/v10`, or a pattern in it. */
  path?: string | RegExp;
  status?: number;
  outcome?: 'pending' | 'answered' | 'lost' | 'dropped';
  unknownRoute?: boolean;
  direction?: 'in' | 'out';
  op?: number;
  t?: string;
  event?: 'open' | 'close';
  code?: number;
  since?: number;
};

/** A pattern (which can cross process borders) or a predicate (which sees pending requests too). */
export type Match = Pattern | ((entry: Entry) => boolean);

/** Whether an entry is what is looked for. */
export function matches(match: Match, entry: Entry): boolean {
  if (typeof match === 'function') return match(entry);
  const fields = entry as Entry & Record<string, unknown>;
  if (entry.kind === 'rest' && entry.outcome === 'pending' && match.outcome !== 'pending') return false;
  return Object.entries(match).every(([key, wanted]) => {
    if (wanted === undefined) return true;
    if (key === 'since') return entry.n > Number(wanted);
    const value = fields[key];
    return wanted instanceof RegExp ? typeof value === 'string' && wanted.test(value) : value === wanted;
  });
}
