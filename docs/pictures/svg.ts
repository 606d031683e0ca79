import { measure, type Style } from './letters.js';

/** Discord's dark colours, and the faces that every machine has one of. */
export const COLOURS = {
  page: '#313338',
  bar: '#2b2d31',
  line: '#3f4147',
  text: '#dbdee1',
  bright: '#f2f3f5',
  faint: '#949ba4',
  link: '#c9cdfb',
  mention: '#3c4270',
  blurple: '#5865f2',
  code: '#1e1f22',
  button: '#4e5058',
};
const SANS = 'Helvetica Neue, Helvetica, Arial, sans-serif';
const MONO = 'Menlo, Consolas, Liberation Mono, monospace';

/** A text safe inside an SVG. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A run of text on its baseline, as wide as it was measured in every face. */
export function drawText(x: number, y: number, text: string, style: Style, fill: string): string {
  const length = measure(text, style).toFixed(1);
  const face = `font-family="${style.mono ? MONO : SANS}" font-size="${style.size}"${style.bold ? ' font-weight="600"' : ''}`;
  const fit = [...text].length > 1 ? ` textLength="${length}" lengthAdjust="spacingAndGlyphs"` : '';
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${face} fill="${fill}"${fit} xml:space="preserve">${escapeXml(text)}</text>`;
}

/** A rectangle with round corners. */
export function drawBox(x: number, y: number, width: number, height: number, fill: string, round = 4): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"`;
  return `<rect ${place} rx="${round}" fill="${fill}"/>`;
}

/** A whole picture of a channel: its name on top, then what is drawn in it. */
export function drawPage(width: number, height: number, title: string, channel: string, body: string): string {
  const head = [
    drawBox(0, 0, width, height, COLOURS.page, 8),
    `<path d="M0 48V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v40z" fill="${COLOURS.bar}"/>`,
    drawText(20, 31, '#', { size: 22 }, COLOURS.faint),
    drawText(42, 30, channel, { size: 16, bold: true }, COLOURS.bright),
  ];
  const frame = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"`;
  return `<svg ${frame}>\n<title>${escapeXml(title)}</title>\n${head.join('\n')}\n${body}\n</svg>\n`;
}
