import { GAUGE_PARTS } from '../../src/discord/commands/memory-report.js';
import { measure, type Style } from './letters.js';
import { readSpans, type Span } from './markdown.js';
import { COLOURS, drawBox, drawText } from './svg.js';

/** Something drawn and the height that it takes, in pixels. */
export type Drawn = { svg: string; height: number };

/** Where text stands: its left edge, its top, and the width that it may take. */
export type Frame = { x: number; y: number; width: number };

type Word = Span & { x: number; width: number };

const PADDING = 4;

/** Draws a text with its marks, wrapped between words. */
export function drawParagraph(
  frame: Frame,
  text: string,
  size: number,
  names: ReadonlyMap<string, string>,
  color = COLOURS.text,
): Drawn {
  const step = Math.round(size * 1.4);
  const lines = text.split('\n').flatMap((line) => {
    const item = line.startsWith('- ');
    const indent = item ? 18 : 0;
    const wrapped = wrap(readSpans(item ? line.slice(2) : line, names), frame.width - indent, size);
    return wrapped.map((words, i) => ({ words, indent, dot: item && i === 0 }));
  });
  const drawn = lines.map(({ words, indent, dot }, i) => {
    const y = frame.y + i * step + size;
    const bullet = dot ? `<circle cx="${frame.x + 8}" cy="${y - size * 0.35}" r="2.6" fill="${color}"/>` : '';
    return bullet + words.map((word) => drawWord(word, frame.x + indent, y, size, color)).join('');
  });
  return { svg: drawn.join('\n'), height: lines.length * step };
}

function styleOf({ kind }: Span, size: number): Style {
  if (kind === 'code') return { size: size * 0.875, mono: true };
  return { size, bold: kind === 'bold' };
}

function wrap(spans: Span[], width: number, size: number): Word[][] {
  const lines: Word[][] = [[]];
  let x = 0;
  for (const span of spans) {
    for (const text of span.kind === 'plain' || span.kind === 'bold'
      ? (span.text.match(/\s+|\S+/gu) ?? [])
      : [span.text]) {
      const padded = span.kind === 'code' || span.kind === 'mention' ? 2 * PADDING : 0;
      const taken = span.kind === 'square' ? size * 1.1 : measure(text, styleOf(span, size)) + padded;
      if (x + taken > width && text.trim() !== '' && x > 0) {
        lines.push([]);
        x = 0;
      }
      if (text.trim() === '' && x === 0) continue;
      lines.at(-1)?.push({ kind: span.kind, text, x, width: taken });
      x += taken;
    }
  }
  return lines.map(join);
}

/** Words of one kind that follow each other are one run again. */
function join(words: Word[]): Word[] {
  const runs: Word[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last?.kind !== word.kind || word.kind === 'square') runs.push({ ...word });
    else Object.assign(last, { text: last.text + word.text, width: last.width + word.width });
  }
  return runs;
}

function drawWord(word: Word, left: number, y: number, size: number, color: string): string {
  const x = left + word.x;
  const style = styleOf(word, size);
  if (word.kind === 'square') {
    const fill = GAUGE_PARTS.find(({ square }) => square === word.text)?.color ?? color;
    return drawBox(x, y - size * 0.86, size, size, fill, 3);
  }
  if (word.kind !== 'code' && word.kind !== 'mention') return drawText(x, y, word.text, style, color);
  const [fill, ink] = word.kind === 'code' ? [COLOURS.code, COLOURS.text] : [COLOURS.mention, COLOURS.link];
  const box = drawBox(x, y - size * 0.98, word.width, size * 1.3, fill, 3);
  return box + drawText(x + PADDING, y, word.text, style, ink);
}
