/** Text cut visibly to a number of UTF-16 units, never inside a character or an escape. */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, Math.max(0, limit - mark.length));
  const whole = room.replace(/[\uD800-\uDBFF]$/u, '');
  const openEscape = /(?:^|[^\\])(?:\\\\)*\\$/u.test(whole);
  return `${openEscape ? whole.slice(0, -1) : whole}${mark}`.slice(0, limit);
}

/**
 * Somebody's text as it reads, without the styles, headings, lists, mentions and masked links that Discord would make of
 * it. Links stay as they are. Takes linear time, unlike the library's own `escapeMarkdown`.
 */
export function plainText(text: string): string {
  const pieces = text.split(/(https?:\/\/[^\s<>]+)/u);
  return pieces.map((piece, i) => (i % 2 === 1 ? piece : escapeMarkup(piece))).join('');
}

function escapeMarkup(text: string): string {
  return text
    .replace(/[\\*_~`|<[]/gu, '\\$&')
    .replace(/^([ \t]*)([#>+-])/gmu, '$1\\$2')
    .replace(/^([ \t]*\d+)\./gmu, '$1\\.');
}

/** Text as inline code, in which nothing is marked up. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replace(/\s+/gu, ' ')}\``;
}
