/** An open code fence: its mark (three or more backticks or tildes) and the language named after it, or ''. */
export type Fence = { mark: string; language: string };

/** Reads a text unit by unit; between any two, the line under way counts as it stands, as if it ended there. */
export type FenceReader = {
  push(unit: string): void;
  /** The fence that is open here. */
  open(): Fence | null;
  /** What must be added here so that no fence is open; '' when none is. */
  closing(): string;
  /** Whether the last whole line opened a fence, so that nothing of its code has been read. */
  justOpened(): boolean;
};

const MARKS_AT_LEAST = 3;
// Longer runs of marks and longer languages are taken as text, so that a reopened fence stays a short line.
const MARKS_AT_MOST = 32;
const LANGUAGE_AT_MOST = 32;

/** The most units that opening or closing a fence adds. */
export const FENCE_UNITS_AT_MOST = MARKS_AT_MOST + LANGUAGE_AT_MOST + 1;

/** The line that opens a fence again. */
export function openingLine({ mark, language }: Fence): string {
  return `${mark}${language}\n`;
}

type Line = { phase: 'start' | 'indent' | 'marks' | 'rest'; mark: string; count: number; info: string; blank: boolean };

const freshLine = (): Line => ({ phase: 'start', mark: '', count: 0, info: '', blank: true });

/**
 * Starts reading inside `before`, or outside of any fence. A line opens or closes a fence as CommonMark has it
 * (section "Fenced code blocks"), but with any indentation, since Discord knows no indented code.
 */
export function createFenceReader(before: Fence | null): FenceReader {
  let settled = before;
  let fresh = false;
  let line = freshLine();
  const open = () => (line.count < MARKS_AT_LEAST ? settled : fenceAfter(settled, line));
  return {
    open,
    justOpened: () => fresh,
    push(unit) {
      if (unit !== '\n') return read(line, unit);
      const after = open();
      fresh = settled === null && after !== null;
      settled = after;
      line = freshLine();
    },
    closing() {
      const fence = open();
      if (fence === null) return '';
      if (line.phase === 'start') return fence.mark;
      const begun = settled !== null && line.phase === 'marks' && line.mark === fence.mark[0];
      return begun ? line.mark.repeat(fence.mark.length - line.count) : `\n${fence.mark}`;
    },
  };
}

function read(line: Line, unit: string): void {
  if (line.phase === 'start' || line.phase === 'indent') {
    const isMark = unit === '`' || unit === '~';
    line.phase = isMark ? 'marks' : unit === ' ' || unit === '\t' ? 'indent' : 'rest';
    if (isMark) line.mark = unit;
  } else if (line.phase === 'marks' && unit !== line.mark) {
    line.phase = 'rest';
  }
  if (line.phase === 'marks') line.count += 1;
  if (line.phase !== 'rest') return;
  if (unit.trim() !== '') line.blank = false;
  if (unit === '`' && line.mark === '`') line.count = 0;
  if (line.info.length <= 2 * LANGUAGE_AT_MOST) line.info += unit;
}

function fenceAfter(settled: Fence | null, { mark, count, info, blank }: Line): Fence | null {
  if (settled !== null) {
    return mark === settled.mark[0] && count >= settled.mark.length && blank ? null : settled;
  }
  if (count > MARKS_AT_MOST) return null;
  const language = info.trim().split(/\s/u)[0] ?? '';
  return { mark: mark.repeat(count), language: language.length > LANGUAGE_AT_MOST ? '' : language };
}
