import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { patiently } from '../support/patience.js';

const TOKEN_COUNTER = resolve(import.meta.dirname, '../../dist/llm/token-counter.js');

/** Runs a program that has `createTokenCounter`; resolves with what it wrote when it has ended by itself. */
function run(program: string): Promise<{ stdout: string; stderr: string }> {
  const whole = `import { createTokenCounter } from ${JSON.stringify(TOKEN_COUNTER)};\n${program}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', whole], { timeout: patiently(10_000) });
}

it('a process waits for counts, not for the idle worker', async () => {
  const program = `
    const counter = createTokenCounter();
    counter.start('cl100k_base');
    console.log((await counter.count(['I live in Bern.'], 'cl100k_base'))[0]);`;
  expect(await run(program)).toEqual({ stdout: '5\n', stderr: '' });
});

it('a process does not wait for a vocabulary that is loaded ahead', async () => {
  const program = `
    createTokenCounter().start('o200k_base');
    process.on('exit', () => console.log('ended'));`;
  expect((await run(program)).stdout).toBe('ended\n');
});
