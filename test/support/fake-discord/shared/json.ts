/** A JSON object of which nothing is known yet. */
export type Json = Record<string, unknown>;

/** The value as an object; anything else is an empty one. */
export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The value as an array of objects; anything else is an empty one. */
export function asObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** The value as an array of strings; anything else is an empty one. */
export function asStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The value when it is a string, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value when it is a number, or a string that spells one (Discord takes both), else undefined. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
