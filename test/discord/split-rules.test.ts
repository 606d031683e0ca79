import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../src/discord/answers/split.js';
import { answers, family, limits, openMark, partsOf } from './answers.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

describe('any answer when it is split', () => {
  it('shows all of it, and adds nothing but fence lines or the missing end of one', () => {
    fc.assert(
      fc.property(answers, limits, (answer, limit) => {
        expect(partsOf(answer, splitAnswer(answer, { limit }))).not.toBeNull();
      }),
    );
  });

  it('keeps every chunk within the limit, not blank, and as Discord would show it', () => {
    fc.assert(
      fc.property(answers, limits, (answer, limit) => {
        for (const text of splitAnswer(answer, { limit })) {
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(text).not.toBe('');
          expect(text).toBe(text.trim());
        }
      }),
    );
  });

  it('leaves no fence open in any chunk', () => {
    fc.assert(
      fc.property(answers, limits, (answer, limit) => {
        for (const text of splitAnswer(answer, { limit })) expect(openMark(text)).toBeNull();
      }),
    );
  });

  it('never changes a chunk that has a successor, however the answer goes on', () => {
    fc.assert(
      fc.property(
        answers,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        limits,
        (answer, cuts, limit) => {
          const whole = splitAnswer(answer, { limit });
          for (const cut of cuts) {
            const closed = splitAnswer(answer.slice(0, Math.floor(answer.length * cut)), { limit }).slice(0, -1);
            expect(whole.slice(0, closed.length)).toEqual(closed);
            expect(whole.length).toBeGreaterThanOrEqual(closed.length);
          }
        },
      ),
    );
  });

  it('never cuts inside a grapheme', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(family, '🇩🇪🇫🇷', '👍🏽', 'n̈', 'x', '각', ' '), { minLength: 30, maxLength: 300 }),
        (parts) => {
          const answer = parts.join('');
          const borders = new Set([...graphemes.segment(answer)].map(({ index }) => index));
          const shown = partsOf(answer, splitAnswer(answer, { limit: 200 }));
          expect(shown).not.toBeNull();
          for (const { start } of shown ?? []) expect(borders.has(start)).toBe(true);
        },
      ),
    );
  });

  it('cuts a line only when the line does not fit a chunk', () => {
    const lines = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lines, fc.boolean(), (lengths, fenced) => {
        const text = lengths.map((length, i) => `${i % 10}`.repeat(length)).join('\n');
        const answer = fenced ? `\`\`\`js\n${text}\n\`\`\`` : text;
        const source = new Set(answer.split('\n'));
        const shown = splitAnswer(answer, { limit: 200 }).flatMap((chunk) => chunk.split('\n'));
        for (const line of shown) expect(source.has(line)).toBe(true);
      }),
    );
  });
});
