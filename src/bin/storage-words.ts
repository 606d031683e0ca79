/** What a database holds, for its owner: `12 messages in 3 conversations`. */
export function stored(rows: Record<string, number>): string {
  return `${count(rows.messages ?? 0, 'message')} in ${count(rows.sessions ?? 0, 'conversation')}`;
}

/** A size of a file, for its owner: `1.5 MB`. */
export function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}
