import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../src/discord/answers/split.js';
import { family, openMark, partsOf } from './answers.js';

describe('splitAnswer', () => {
  it.each([
    [0, 0],
    [1, 1],
    [1_999, 1],
    [2_000, 1],
    [2_001, 2],
    [4_000, 2],
    [10_000, 5],
    [10_001, 6],
    [25_000, 13],
    [100_000, 50],
  ])('cuts %i unbroken characters into %i chunks', (length, count) => {
    const chunks = splitAnswer('a'.repeat(length));
    expect(chunks).toHaveLength(count);
    expect(chunks.join('')).toBe('a'.repeat(length));
  });

  it('has no chunk for a blank answer', () => {
    expect(splitAnswer(' \n\t\n'.repeat(2_000))).toEqual([]);
  });

  it('reopens a fence with its language and keeps the indentation of its code', () => {
    const line = `  call(${'x'.repeat(60)});\n`;
    const answer = `Look:\n\`\`\`ts\n${line.repeat(50)}\`\`\`\nDone.`;
    const chunks = splitAnswer(answer);
    expect(chunks).toHaveLength(2);
    expect(chunks[0]).toMatch(/^Look:\n```ts\n {2}call[\s\S]*;\n```$/);
    expect(chunks[1]).toMatch(/^```ts\n {2}call[\s\S]*;\n```\nDone\.$/);
  });

  it.each(['', '   '])('never leaves an empty code block behind at a cut (indented by "%s")', (indent) => {
    const code = `${indent}\`\`\`js\n${`${indent}b();\n`.repeat(10)}${indent}\`\`\`\n`;
    for (let before = 1_850; before <= 2_000; before += 1) {
      const answer = `${'a'.repeat(before)}\n${code}${'c'.repeat(2_000)}`;
      for (const chunk of splitAnswer(answer)) expect(chunk).not.toMatch(/```js\s*```/);
    }
  });

  it('completes the end of a fence that is just being written', () => {
    expect(['`', '``', '```'].map((end) => splitAnswer(`\`\`\`js\na();\n${end}`))).toEqual(
      Array.from({ length: 3 }, () => ['```js\na();\n```']),
    );
  });

  it('reopens a fence without its language when that is no name', () => {
    const answer = `\`\`\`${'x'.repeat(40)} title\n${'a();\n'.repeat(600)}\`\`\``;
    expect(splitAnswer(answer)[1]).toMatch(/^```\na\(\);\n/);
  });

  it('does not count white space at the end, which Discord strips', () => {
    const full = `x\n${'a'.repeat(1_998)}`;
    expect(splitAnswer(`${full} \n\n`)).toEqual([full]);
  });

  it('keeps a grapheme together of which only half a surrogate pair would fit', () => {
    for (let before = 1_990; before <= 2_000; before += 1) {
      const chunks = splitAnswer(`${'x'.repeat(before)}👍🏽${'y'.repeat(100)}`);
      expect(chunks.filter((chunk) => chunk.includes('👍🏽'))).toHaveLength(1);
    }
  });

  it('closes the longer fence around a shorter one, and reopens the longer', () => {
    const answer = `\`\`\`\`md\n\`\`\`js\n${'a();\n'.repeat(600)}\`\`\`\n\`\`\`\`\nEnd.`;
    const chunks = splitAnswer(answer);
    expect(chunks[0]).toMatch(/^````md\n```js\n[\s\S]*\n````$/);
    expect(chunks[1]).toMatch(/^````md\na\(\);\n[\s\S]*\n```\n````\nEnd\.$/);
  });

  it('prefers a border between paragraphs to one between lines near the end of a chunk', () => {
    const answer = `${'a'.repeat(1_700)}\n\nlist:\n- one\n- two\n${'b'.repeat(1_000)}`;
    expect(splitAnswer(answer)[1]).toMatch(/^list:\n- one\n/);
  });

  it('cuts a long line between words', () => {
    const chunks = splitAnswer('some words '.repeat(400));
    for (const chunk of chunks) expect(chunk).toMatch(/^(some|words) [\s\S]* (some|words)$/);
  });

  it('cuts a grapheme that is longer than a message, but no surrogate pair', () => {
    const chunks = splitAnswer(`e${'\u{1F3FB}'.repeat(3_000)}`);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true);
  });

  it('gives only as many chunks as are wanted', () => {
    expect(splitAnswer('a'.repeat(100_000), { most: 6 })).toEqual(splitAnswer('a'.repeat(100_000)).slice(0, 6));
  });
});

describe('splitAnswer with hostile answers', () => {
  const long = 100_000;
  const times = (text: string, length = long) => text.repeat(Math.ceil(length / text.length));
  it.each([
    ['zero-width joined emoji', times(family)],
    ['2,000 families', family.repeat(2_000)],
    ['flags in one run', times('🇩🇪')],
    ['combining marks', `e${times('\u0301')}`],
    ['only backticks', times('`')],
    ['only tildes', times('~')],
    ['fences with no newline', times('```js code ')],
    ['one fence and no newline', `\`\`\`${times('x')}`],
    ['opening fences only', times('```js\n')],
    ['nested fences', times('````md\n~~~\n```js\na\n```\n~~~\n````\n')],
    ['growing fences', Array.from({ length: 400 }, (_, i) => `${'`'.repeat(i)}\n`).join('')],
    ['a table', times('| cell | cell |\n')],
    ['nested lists', times('- a\n  - b\n    - c\n')],
    ['blank lines in a fence', `\`\`\`\n${times('\n')}x`],
    ['spaces between words', `a\n${'b'.repeat(1_990)}${times(' ')}c`],
    ['lone surrogates', times('\ud83d')],
    ['a million characters', times('lorem ipsum\n', 1_000_000)],
  ])('holds all its promises for %s', (_, answer) => {
    const chunks = splitAnswer(answer);
    expect(partsOf(answer, chunks)).not.toBeNull();
    for (const text of chunks) {
      expect(text.length).toBeLessThanOrEqual(2_000);
      expect(text.trim()).not.toBe('');
      expect(openMark(text)).toBeNull();
    }
  });
});
