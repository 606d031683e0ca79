/** Discord's limit of a message's text, in UTF-16 units. */
export const MESSAGE_LIMIT = 2_000;

/** Whether an id is one of Discord's; a question that was asked by a command has another one. */
export function isSnowflake(id: string): boolean {
  return /^\d+$/u.test(id);
}

/** Cuts a text visibly to a number of UTF-16 units, never inside a surrogate pair or an escape. */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.max(0, limit - mark.length));
  const whole = head.replace(/[\uD800-\uDBFF]$/u, '');
  const openEscape = /(?:^|[^\\])(?:\\\\)*\\$/u.test(whole);
  return `${openEscape ? whole.slice(0, -1) : whole}${mark}`.slice(0, limit);
}

/**
 * Escapes a text so that Discord shows it as it is, without styles, headings, lists, mentions and masked links; links stay
 * clickable. Takes linear time, unlike the library's own `escapeMarkdown`.
 */
export function escapeMarkup(text: string): string {
  const pieces = text.split(/(https?:\/\/[^\s<>]+)/u);
  return pieces.map((piece, i) => (i % 2 === 1 ? piece : escapeText(piece))).join('');
}

function escapeText(text: string): string {
  return text
    .replace(/[\\*_~`|<[]/gu, '\\$&')
    .replace(/^([ \t]*)([#>+-])/gmu, '$1\\$2')
    .replace(/^([ \t]*\d+)\./gmu, '$1\\.');
}

/** Formats a text as inline code, in which nothing is marked up. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replace(/\s+/gu, ' ')}\``;
}
