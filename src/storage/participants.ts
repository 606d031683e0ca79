import { cleanText, type NewMessage } from '../conversation/message.js';

/** A person as a message names them. */
export type Named = { authorId: string; name: string };

/** Names are noted up to so many characters a person and session, as one may change a name at will. */
const NAMES_LENGTH = 8_000;

/** Whom a message comes from, if it is a person, and whom it quotes. */
export function peopleIn({ role, authorId, authorName, quote }: NewMessage): Named[] {
  const writer = role === 'user' ? [{ authorId, name: authorName }] : [];
  if (quote === null || quote.authorId === '') return writer;
  return [...writer, { authorId: quote.authorId, name: quote.authorName }];
}

/** Names, one a line, with one more if it is not among them. */
export function withName(names: string, name: string): string {
  const line = oneLine(name);
  if (line === '' || names.split('\n').includes(line) || names.length + line.length >= NAMES_LENGTH) return names;
  return names === '' ? line : `${names}\n${line}`;
}

/** The noted names and those that were found beside them, each once. */
export function allNames(noted: string, found: readonly string[]): string[] {
  return [...new Set([...noted.split('\n'), ...found.map(oneLine)])].filter((name) => name !== '');
}

function oneLine(name: string): string {
  return cleanText(name)
    .replace(/\s*\n\s*/gu, ' ')
    .trim();
}
