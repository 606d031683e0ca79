import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Config } from '../config.js';
import { ConfigError } from '../conversation/errors.js';
import { begin } from './begin.js';

/** What was typed after a command's name. */
export type Given = { values: Record<string, string | boolean | undefined>; files: string[] };

/** A command for the owner: its help, whose first line is its usage, and what may be typed. */
export type OwnerCommand = {
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** How many file names it takes. */
  files: number;
  run: (config: Config, given: Given) => Promise<void> | void;
};

/** Runs a command for the owner; `--help` shows its help, and whatever is wrong ends in one sentence and an exit code. */
export async function runOwnerCommand({ help, options, files, run }: OwnerCommand): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    return;
  }
  const usage = help.split('\n')[0] ?? '';
  await begin(async (config) => {
    await run(config, read(args, usage, options, files));
  });
}

function read(args: string[], usage: string, options: OwnerCommand['options'], files: number): Given {
  const parsed = parse(args, usage, options);
  if (parsed.files.length === files) return parsed;
  const what = files === 0 ? 'takes no file name' : 'takes one file name';
  throw new ConfigError([`this command ${what}; ${usage}`]);
}

function parse(args: string[], usage: string, options: OwnerCommand['options']): Given {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Given['values'], files: positionals };
  } catch (cause) {
    const unknown = /'(-[^']*)'/u.exec(String(cause))?.[1] ?? 'an argument';
    throw new ConfigError([`${unknown} is not understood; ${usage}`]);
  }
}
