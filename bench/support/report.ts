/** One part of a report: a heading, a sentence or two on how it was measured, and a table. */
export type Section = { title: string; about: string; head: readonly string[]; rows: readonly (readonly string[])[] };

/** A section in Markdown; every column but the first is flush right. */
export function markdown({ title, about, head, rows }: Section): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(head.map((_, i) => (i === 0 ? '---' : '---:')));
  return [`### ${title}`, '', about, '', line(head), rule, ...rows.map(line), ''].join('\n');
}

/** A duration, given in microseconds, with the unit that suits it. */
export function duration(micros: number): string {
  if (micros < 1_000) return `${Math.round(micros)} µs`;
  if (micros < 1_000_000) return `${figures(micros / 1_000)} ms`;
  return `${figures(micros / 1_000_000)} s`;
}

/** A ratio such as `1.18 ×`. */
export function ratio(value: number): string {
  return `${value.toFixed(2)} ×`;
}

/** A whole number with separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function figures(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}
