const LONGEST_NAME = 32;
const ROLE_WORDS = /^(?:system|assistant|user|developer|tool|keepsake)$/iu;

/**
 * A person's name as a prompt may carry it: one line, no control or bidi characters, nothing that reads like the end of a
 * name or a role of the chat format, at most 32 characters.
 */
export function cleanName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replace(/[:：<>[\]]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const short = [...plain].slice(0, LONGEST_NAME).join('').trim();
  if (short === '') return 'someone';
  return ROLE_WORDS.test(short) ? `${short} (person)` : short;
}
