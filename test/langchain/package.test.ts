import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the package gives these names to whoever imports it', () => {
  const script = "import('keepsake').then((names) => console.log(JSON.stringify(Object.keys(names).sort())))";
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([
    'KeepsakeError',
    'SessionMessageHistory',
    'createSessionMemory',
    'createSummaryModel',
    'mergeSystemMessages',
    'modelByName',
    'withSessionMemory',
  ]);
});
