import { isLabelled } from './offline-label.js';

/** What somebody said, as a prompt has it; the speaker is empty when the prompt names none. */
export type Said = { speaker: string; text: string; source: 'message' | 'summary' };

/**
 * How lines follow each other: merged messages of a prompt, the summariser's transcript (where lines that go on are
 * indented), or a summary (where every line stands for itself).
 */
type Layout = 'messages' | 'transcript' | 'summary';

/** How the summariser's transcript names the bot. */
export const ASSISTANT = 'Assistant';

const QUOTED = /^\[replying to ([^\n:]{1,80}): (.*)\]$/u;
const SPEAKER = /^([^\s:][^:]{0,79}): (.*)$/u;
/** A name within a message's lines: up to three words that look like no other part of a text. */
const NAME_INSIDE = /^[^\s:,;!?"“”<>*#`-][^\s:,;!?"“”<>]{0,31}(?: [^\s:,;!?"“”<>]{1,31}){0,2}$/u;
/** How the offline model's own answers go on behind their label. */
const OWN_REST = /^\s*(?:>|Noted: |已记下)/u;

/**
 * Reads the lines of a prompt back into who said what. A line without a speaker goes on with the line before it;
 * within a message only what looks like a name is one. Labelled answers of the offline model are left out.
 */
export function readLines(content: string, layout: Layout): Said[] {
  const said: Said[] = [];
  const source = layout === 'summary' ? 'summary' : 'message';
  let first = true;
  let own = false;
  for (const line of content.split('\n')) {
    const quoted = QUOTED.exec(line);
    const start = first || layout === 'summary' || (layout === 'transcript' && !line.startsWith('  '));
    first = quoted !== null;
    if (quoted !== null) {
      said.push({ speaker: quoted[1] ?? '', text: quoted[2] ?? '', source });
      own = false;
      continue;
    }
    if (own && OWN_REST.test(line)) continue;
    const next = readSpeaker(line, start, layout);
    const last = said.at(-1);
    own = isLabelled(next?.text ?? line) || (own && next === null && !start);
    if (own) continue;
    if (next !== null) said.push({ ...next, source });
    else if (start || last === undefined) said.push({ speaker: '', text: line.trim(), source });
    else last.text += `\n${line.trim()}`;
  }
  return said.filter(({ text }) => text.trim() !== '' && !isLabelled(text));
}

function readSpeaker(line: string, start: boolean, layout: Layout): { speaker: string; text: string } | null {
  const [, speaker, text] = SPEAKER.exec(start ? line.trimStart() : line) ?? [];
  if (speaker === undefined || text === undefined) return null;
  const named = start
    ? layout !== 'summary' || NAME_INSIDE.test(speaker)
    : layout === 'messages' && NAME_INSIDE.test(speaker);
  return named ? { speaker, text } : null;
}

/** Openings of a fence that are tried, so that a text full of them costs no more than a few searches. */
const FENCES_TRIED = 8;

/** The text between the first two lines that carry a name and the same mark, and what comes behind them; or null. */
export function readFence(text: string, name: string): { inside: string; after: string } | null {
  const opening = new RegExp(`^<(${name}-[\\p{L}\\p{N}_-]{1,64})>$`, 'gmu');
  let tried = 0;
  for (const match of text.matchAll(opening)) {
    const start = match.index + match[0].length;
    const closing = `\n</${match[1]}>`;
    const end = text.indexOf(closing, start);
    if (end >= 0) return { inside: text.slice(start + 1, end), after: text.slice(end + closing.length) };
    tried += 1;
    if (tried === FENCES_TRIED) break;
  }
  return null;
}
