import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.js';
import { ConfigError, KeepsakeError } from '../conversation/errors.js';
import { type Session, terminalSession } from '../conversation/session.js';
import { armFaults, faultFromOrder } from '../fault.js';
import { flushTraces, prepareTracing } from '../llm/tracing.js';

/** Exit codes: what a supervisor may act on. */
export const EXIT = { ok: 0, failed: 1, config: 2, storage: 3 } as const;

/**
 * Runs a program: reads the configuration, silences or sets up tracing before any library loads, and turns what goes wrong
 * into one clear line a fault on standard error and an exit code.
 */
export async function runProgram(program: (config: Config) => Promise<void>): Promise<void> {
  process.umask(0o077);
  try {
    const { config, warnings, tracing } = readConfig(process.env);
    for (const warning of warnings) console.error(`warning: ${warning}`);
    Object.assign(process.env, tracing, process.env);
    const notice = prepareTracing(process.env, config.TRACING);
    if (notice !== null) console.error(notice);
    if (process.env.KEEPSAKE_FAULT !== undefined) armFaults(faultFromOrder(process.env.KEEPSAKE_FAULT));
    await program(config);
    await flushTraces(process.env);
  } catch (error) {
    if (!(error instanceof KeepsakeError)) throw error;
    for (const line of error.message.split('\n')) console.error(`keepsake: ${line}`);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: KeepsakeError): number {
  if (error.code === 'config') return EXIT.config;
  return error.name === 'StorageError' ? EXIT.storage : EXIT.failed;
}

/** What was typed after a command's name. */
type Given = { values: Record<string, string | boolean | undefined>; files: string[] };

/** A command for the owner: its help, whose first line is its usage, and what may be typed. */
type OwnerCommand = {
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
  await runProgram(async (config) => {
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

/** How a session is named on the command line, for messages. */
export const SESSION_FORMS = '"NAME" or "terminal:NAME" of a terminal chat, or "discord:CHANNEL ID"';

/** The session that is named, a bare name being a terminal chat's as in `npm run chat`; null when it cannot be one. */
export function sessionNamed(given: unknown, serverId: string | null = null): Session | null {
  const [, kind = 'terminal', name = ''] =
    /^(?:(terminal|discord):)?([\p{L}\p{N}._-]{1,64})$/u.exec(String(given ?? '')) ?? [];
  if (name === '') return null;
  if (kind === 'terminal') return terminalSession(name);
  return /^\d+$/u.test(name) ? { id: `discord:${name}`, parentId: null, serverId } : null;
}

/** What a database holds, for its owner: `12 messages in 3 conversations`. */
export function stored(rows: Record<string, number>): string {
  return `${count(rows.messages ?? 0, 'message')} in ${count(rows.sessions ?? 0, 'conversation')}`;
}

/** A size of a file, for its owner: `1.5 MB`. */
export function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}
