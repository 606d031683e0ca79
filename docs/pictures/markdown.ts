/** A piece of a message's text; `square` is an emoji square, by its character. */
export type Span = { kind: 'plain' | 'bold' | 'code' | 'mention' | 'square'; text: string };

const MARKS =
  /\\(?<escaped>[\\*_~`|<[#>+.-])|`(?<code>[^`]+)`|\*\*(?<bold>.+?)\*\*|<@(?<mention>\d+)>|(?<square>[🟪🟦🟩🟧🟨⬜])/gu;

/** Reads the marks that the pictures know in one line of a message; `names` gives the people by id. */
export function readSpans(line: string, names: ReadonlyMap<string, string>): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of line.matchAll(MARKS)) {
    add(spans, { kind: 'plain', text: line.slice(at, match.index) });
    add(spans, spanOf(match.groups ?? {}, names));
    at = match.index + match[0].length;
  }
  add(spans, { kind: 'plain', text: line.slice(at) });
  return spans;
}

function spanOf(groups: Record<string, string | undefined>, names: ReadonlyMap<string, string>): Span {
  const { escaped, code, bold, mention, square } = groups;
  if (code !== undefined) return { kind: 'code', text: code };
  if (bold !== undefined) return { kind: 'bold', text: bold };
  if (mention !== undefined) return { kind: 'mention', text: `@${names.get(mention) ?? 'unknown'}` };
  if (square !== undefined) return { kind: 'square', text: square };
  return { kind: 'plain', text: escaped ?? '' };
}

/** Escapes part plain text; it is one piece again here. */
function add(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (span.text === '') return;
  if (last?.kind === 'plain' && span.kind === 'plain') last.text += span.text;
  else spans.push({ ...span });
}
