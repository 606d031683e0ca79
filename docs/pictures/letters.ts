/** How a run of text looks. */
export type Style = { size: number; bold?: boolean; mono?: boolean };

/** Advance widths in thousandths of the size, as in the common sans-serif faces; other characters take `OTHER`. */
const WIDTHS: readonly [width: number, characters: string][] = [
  [222, 'ijl'],
  [191, "'"],
  [260, '|'],
  [278, ' !,./:;If[]\\t'],
  [333, '()-r`'],
  [355, '"'],
  [389, '*'],
  [469, '^'],
  [500, 'Jckvxyz·'],
  [556, '#$0123456789?L_abdeghnopqu–“”'],
  [584, '+<=>~'],
  [611, 'FTZ'],
  [667, '&ABEKPSVXY'],
  [722, 'CDHNRUw'],
  [778, 'GOQ'],
  [833, 'Mm'],
  [889, '%'],
  [944, 'W'],
];
const OTHER = 700;
const MONO = 600;
const BOLD = 1.06;

const widthOf = new Map(WIDTHS.flatMap(([width, characters]) => [...characters].map((each) => [each, width] as const)));

/** The width of a text in pixels; `textLength` makes every face keep to it. */
export function measure(text: string, { size, bold = false, mono = false }: Style): number {
  const units = [...text].reduce((sum, each) => sum + (mono ? MONO : (widthOf.get(each) ?? OTHER)), 0);
  return (units * size * (bold && !mono ? BOLD : 1)) / 1_000;
}
