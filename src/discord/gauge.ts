import type { MemoryReport } from '../chatbot/report.js';

type Parts = MemoryReport['parts'];

/** The parts of the context in the order of the gauge, each with its colour and the square that stands for it in text. */
export const GAUGE_PARTS = [
  { part: 'persona', colour: '#aa8ed6', square: '🟪' },
  { part: 'summary', colour: '#55acee', square: '🟦' },
  { part: 'messages', colour: '#78b159', square: '🟩' },
  { part: 'answer', colour: '#f4900c', square: '🟧' },
  { part: 'safety', colour: '#fdcb58', square: '🟨' },
  { part: 'free', colour: '#e6e7e8', square: '⬜' },
] as const satisfies readonly { part: keyof Parts; colour: string; square: string }[];

const WIDTH = 960;
const HEIGHT = 48;
const THINNEST = 4;

/** The gauge as a drawing: one band a part, as wide as its share; no part that holds something is invisible. */
export function gaugeSvg(parts: Parts): string {
  const whole = Math.max(1, ...[GAUGE_PARTS.reduce((sum, { part }) => sum + parts[part], 0)]);
  const used = GAUGE_PARTS.filter(({ part }) => parts[part] > 0);
  const spare = WIDTH - used.length * THINNEST;
  let x = 0;
  const bands = used.map(({ part, colour }) => {
    const width = THINNEST + (parts[part] / whole) * spare;
    const band = `<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="${HEIGHT}" fill="${colour}"/>`;
    x += width;
    return band;
  });
  const frame = `<clipPath id="frame"><rect width="${WIDTH}" height="${HEIGHT}" rx="10"/></clipPath>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${frame}<g clip-path="url(#frame)">${bands.join('')}</g></svg>`;
}

/** The gauge as a PNG. The renderer is loaded when the first gauge is drawn, not at start. */
export async function drawGauge(parts: Parts): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  return new Resvg(gaugeSvg(parts), { font: { loadSystemFonts: false } }).render().asPng();
}
