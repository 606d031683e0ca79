import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, escapeMarkup, inlineCode } from '../../src/discord/shared/format.js';

describe('cut', () => {
  it('leaves alone what fits', () => {
    expect(cut('short', 5)).toBe('short');
  });

  it('marks where it cut, within the limit', () => {
    expect(cut('too long', 5)).toBe('too …');
  });

  it('never leaves half a character or half an escape', () => {
    expect(cut('abc😀def', 5)).toBe('abc…');
    expect(cut(String.raw`ab\*cd`, 4)).toBe('ab…');
    expect(cut(String.raw`ab\\cd`, 5)).toBe(String.raw`ab\\…`);
  });

  it('keeps to the limit for any text, well formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, limit) => {
        const kept = cut(text, limit);
        expect(kept.length).toBeLessThanOrEqual(limit);
        expect(kept.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('inlineCode', () => {
  it('cannot be left by a backtick or a line break', () => {
    expect(inlineCode('a`b\nc')).toBe('`aˋb c`');
  });
});

describe('plainText', () => {
  it('leaves links as they are', () => {
    expect(escapeMarkup('see https://a.example/b_c_d*e and _f_')).toBe('see https://a.example/b_c_d*e and \\_f\\_');
  });

  it('makes no heading, list, link or style of somebody’s text', () => {
    expect(escapeMarkup('# a')).toBe('\\# a');
    expect(escapeMarkup('- a')).toBe('\\- a');
    expect(escapeMarkup('[a](https://b.example)')).toBe('\\[a](https://b.example)');
    expect(escapeMarkup('~~a~~')).toBe('\\~\\~a\\~\\~');
    expect(escapeMarkup('one\n  1. a\n> b')).toBe('one\n  1\\. a\n\\> b');
    expect(escapeMarkup('<@1> <#2>')).toBe('\\<@1> \\<#2>');
  });
});
