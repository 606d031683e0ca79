import type { Entry } from './journal-entries.js';

const DUMP_WIDTH = 160;

/** Journal entries as lines for people; times in seconds since `start`. */
export function dumpEntries(entries: readonly Entry[], start: number): string {
  return entries
    .map((entry) => `  #${entry.n} +${((entry.at - start) / 1000).toFixed(3)} ${describeEntry(entry)}`)
    .join('\n');
}

function describeEntry(entry: Entry): string {
  if (entry.kind === 'connection') {
    return `gateway ${entry.event}${entry.code === null ? '' : ` ${entry.code} by ${entry.by}`}`;
  }
  if (entry.kind === 'gateway') {
    const arrow = entry.direction === 'in' ? 'bot →' : 'bot ←';
    return `${arrow} op ${entry.op} ${entry.t ?? ''} ${entry.s ?? ''} ${entry.op === 2 || entry.op === 6 ? '' : abbreviate(entry.d)}`;
  }
  const files = entry.files.length === 0 ? '' : ` files: ${entry.files.map(({ name }) => name).join(', ')}`;
  const fault = entry.fault === null ? '' : ` fault: ${entry.fault}`;
  const refusal = (entry.status ?? 0) >= 400 ? ` ${abbreviate(entry.answer)}` : '';
  const result = `${entry.outcome} ${entry.status ?? ''}${entry.unknownRoute ? ' (no such route)' : ''}`;
  return `${entry.method} ${entry.path} ${abbreviate(entry.body)}${files} → ${result}${refusal}${fault}`;
}

function abbreviate(value: unknown): string {
  const text = value === undefined || value === null ? '' : JSON.stringify(value);
  return text.length <= DUMP_WIDTH ? text : `${text.slice(0, DUMP_WIDTH)}…`;
}
