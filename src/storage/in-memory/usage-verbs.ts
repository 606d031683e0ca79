import type { Ledger, Payer, UsageRow, Used } from '../../conversation/usage.js';
import { isWithin } from '../limits.js';
import type { Act } from './act.js';

/** The verbs about what was used. */
export function usageVerbs(act: Act): Ledger {
  let rows: (UsageRow & { scopeId: string })[] = [];
  const sum = (wanted: (row: Payer) => boolean) => rows.filter(wanted).reduce((total, { tokens }) => total + tokens, 0);
  const used = ({ scopeId, day, authorId }: Pick<Payer, 'scopeId' | 'authorId' | 'day'>): Used => {
    const ofDay = (row: Payer) => row.scopeId === scopeId && row.day === day;
    return { server: sum(ofDay), person: sum((row) => ofDay(row) && row.authorId === authorId) };
  };
  const charge = ({ scopeId, day, authorId, sessionId }: Payer, tokens: number, calls: number) => {
    const same = (row: Payer) =>
      row.scopeId === scopeId && row.day === day && row.authorId === authorId && row.sessionId === sessionId;
    const row = rows.find(same);
    if (row === undefined) rows.push({ scopeId, day, authorId, sessionId, tokens, calls });
    else Object.assign(row, { tokens: row.tokens + tokens, calls: row.calls + calls });
  };
  return {
    reserve: (payer, tokens, limits) =>
      act(() => {
        const before = used(payer);
        const granted = isWithin(before, tokens, limits);
        if (granted) charge(payer, tokens, 0);
        return { ...before, granted };
      }),
    settle: (payer, reserved, tokens) => act(() => charge(payer, tokens - reserved, 1)),
    used: (of) => act(() => used(of)),
    account: (scopeId, fromDay) =>
      act(() =>
        rows
          .filter((row) => row.scopeId === scopeId && row.day >= fromDay)
          .map(({ scopeId: _, ...row }) => row)
          .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
      ),
    sweepUsage: (beforeDay) =>
      act(() => {
        rows = rows.filter((row) => row.day >= beforeDay);
      }),
  };
}
