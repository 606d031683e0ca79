/** The longest lifetime of a button or form, in milliseconds. */
export const MAX_LIFETIME_MS = 3_600_000;

/** The kind and argument of a button or form, its owner, and when it expires (milliseconds since 1970). */
export type CustomId = { kind: string; what: string; owner: string; until: number };

/** Encodes a custom id; it holds everything, so that buttons work across restarts. */
export function writeCustomId({ kind, what, owner, until }: CustomId): string {
  return [kind, what, owner, until.toString(36)].join(':');
}

/** Decodes a custom id that anybody may have forged; null when it is malformed or lives too long. */
export function readCustomId(text: string, now: number): CustomId | null {
  const parts = /^([a-z]{1,20}):([a-z-]{1,20}):(\d{1,20}):([0-9a-z]{1,10})$/u.exec(text);
  if (parts === null) return null;
  const [, kind = '', what = '', owner = '', time = ''] = parts;
  const until = Number.parseInt(time, 36);
  return until > now + MAX_LIFETIME_MS ? null : { kind, what, owner, until };
}
