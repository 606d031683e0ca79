/** The longest sentence that is weighed or quoted, in code points; what is longer is cut at a space where there is one. */
export const LONGEST_SENTENCE = 280;

/** Where a sentence may end: a line's end, white space behind a stop, or a full-width stop. `Intl.Segmenter` is quadratic. */
const BORDER = /\n+|(?<=[.!?…؟।۔]["'”’)\]]{0,2})\s+|(?<=[。！？]["”’」』）]{0,2})(?![。！？"”’」』）])\s*/gu;
const PART = new RegExp(`[^]{1,${LONGEST_SENTENCE}}(?:\\s+|$)|[^]{1,${LONGEST_SENTENCE}}`, 'gu');
const ABBREVIATION = /(?:^|\s)(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Jr|vs|e\.g|i\.e)\.$/u;
const GOES_ON = /^\p{Ll}/u;
const HAN = /\p{Script=Han}/gu;
const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /\p{L}/gu;

/** Splits a text into trimmed sentences, none empty and none longer than `LONGEST_SENTENCE`. */
export function sentences(text: string): string[] {
  const whole: string[] = [];
  let start = 0;
  for (const { 0: border, index } of text.matchAll(BORDER)) {
    const end = index + border.length;
    const before = text.slice(Math.max(start, index - 8), index);
    const stays = ABBREVIATION.test(before) || (before.endsWith('.') && GOES_ON.test(text.slice(end, end + 2)));
    if (stays && !border.includes('\n')) continue;
    whole.push(text.slice(start, index));
    start = end;
  }
  whole.push(text.slice(start));
  return whole.flatMap((sentence) => (sentence.match(PART) ?? []).map((part) => part.trim())).filter(Boolean);
}

/** Whether a text is to be answered in Chinese: a third of its letters are Han, and none Japanese or Korean. */
export function isChinese(text: string): boolean {
  const han = text.match(HAN)?.length ?? 0;
  return han > 0 && han * 3 >= (text.match(LETTER)?.length ?? 0) && !KANA_OR_HANGUL.test(text);
}

/** A rough upper estimate of a text's tokens: 1 for 2.5 small letters, a little over 1 for each CJK sign. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += weight(character.codePointAt(0) ?? 0);
  return Math.ceil(tokens);
}

function weight(code: number): number {
  if (code === 0x20 || (code >= 0x61 && code <= 0x7a)) return 0.4;
  if (code < 0x80) return 0.75;
  if (code < 0x800) return 1;
  if (code >= 0x2e80 && code <= 0xd7ff) return 1.1;
  return code < 0x10000 ? 1.5 : 3;
}
