/** A number as people read it: `12,000`. */
export const n = (value: number) => value.toLocaleString('en-US');

/** A count with its English noun. */
export const plural = (count: number, one: string, many = `${one}s`) => `${n(count)} ${count === 1 ? one : many}`;

/** A time in UTC to the minute: `2026-08-01 09:30`. */
export const day = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
