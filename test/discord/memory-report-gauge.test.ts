import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawGauge, GAUGE_PARTS, gaugeSvg } from '../../src/discord/commands/memory-report.js';
import { aReport } from './a-report.js';

const { parts } = aReport();
const size = fc.nat(1_000_000);
const anyParts = fc.record({ persona: size, summary: size, messages: size, answer: size, safety: size, free: size });

function bands(svg: string): { x: number; width: number; fill: string }[] {
  const found = svg.matchAll(/<rect x="([\d.]+)" width="([\d.]+)" height="\d+" fill="(#\w+)"\/>/gu);
  return [...found].map(([, x, width, fill]) => ({ x: Number(x), width: Number(width), fill: fill ?? '' }));
}

describe('the gauge', () => {
  it('is drawn as a PNG of its size', async () => {
    const png = await drawGauge(parts);
    expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([960, 48]);
  });

  it('holds no text, since there is no font to rely on', () => {
    expect(gaugeSvg(parts)).not.toMatch(/<text|font|[^\x20-\x7e]/u);
  });

  it('shows every part that holds something, side by side over the whole width', () => {
    fc.assert(
      fc.property(anyParts, (given) => {
        const shown = bands(gaugeSvg(given));
        const held = GAUGE_PARTS.filter(({ part }) => given[part] > 0);
        expect(shown.map(({ fill }) => fill)).toEqual(held.map(({ color }) => color));
        for (const [i, band] of shown.entries()) {
          expect(band.width).toBeGreaterThanOrEqual(4);
          const left = i === 0 ? 0 : (shown[i - 1]?.x ?? 0) + (shown[i - 1]?.width ?? 0);
          expect(band.x).toBeCloseTo(left, 1);
        }
        const last = shown.at(-1);
        if (last !== undefined) expect(last.x + last.width).toBeCloseTo(960, 1);
      }),
    );
  });

  it('makes a part as wide as its share', () => {
    const half = gaugeSvg({ persona: 0, summary: 0, messages: 500, answer: 0, safety: 0, free: 500 });
    expect(bands(half).map(({ width }) => width)).toEqual([480, 480]);
  });

  it('names each part by a square and a colour of its own', () => {
    expect(new Set(GAUGE_PARTS.map(({ square }) => square)).size).toBe(6);
    expect(new Set(GAUGE_PARTS.map(({ color }) => color)).size).toBe(6);
    expect(GAUGE_PARTS.map(({ part }) => part).sort()).toEqual(Object.keys(parts).sort());
  });
});
