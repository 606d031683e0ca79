import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { chat } from './terminal.js';

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

it('the README shows a conversation that happens exactly so', async () => {
  const block = readme.split('```text\n')[1]?.split('```')[0] ?? '';
  const [command = '', ...lines] = block.trimEnd().split('\n');
  const typed = lines.filter((line) => line.startsWith('Ada> ')).map((line) => line.slice('Ada> '.length));
  const shown = lines.filter((line) => !line.startsWith('Ada> '));
  const args = command.split(' -- ')[1]?.split(' ') ?? [];
  const { out, errors } = await chat(typed, { args });
  const undated = (text: string) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, 'DATE');
  expect(errors).toBe('');
  expect(undated(out).trimEnd().split('\n')).toEqual(undated(shown.join('\n')).split('\n'));
  expect(typed.length).toBeGreaterThan(5);
});
