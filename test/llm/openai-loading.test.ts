import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../src/llm/', import.meta.url);
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

describe('LangChain', () => {
  it('is not loaded at the start: only types are imported statically', () => {
    const imports = files.flatMap(({ text }) => text.match(/^import .*from '@langchain\/.*$/gm) ?? []);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((line) => !line.startsWith('import type '))).toEqual([]);
  });

  it('is never asked to count tokens, which would fetch a vocabulary over the network', () => {
    const asking = files.filter(({ text }) => /getNumTokens|streaming: true|\.invoke\(/.test(text));
    expect(asking.map(({ name }) => name)).toEqual([]);
  });
});
