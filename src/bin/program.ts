import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.js';
import { ConfigError, KeepsakeError } from '../conversation/errors.js';
import { type Session, terminalSession } from '../conversation/session.js';
import { armFaults, parseFault } from '../fault.js';
import { flushTraces, prepareTracing } from '../llm/tracing.js';

/** The exit codes, which a supervisor may act on. */
export const EXIT = { ok: 0, failed: 1, config: 2, storage: 3 } as const;

/**
 * Runs a program: reads the configuration, sets up tracing or keeps it off before any library loads, and turns a foreseen
 * error into lines on standard error and an exit code.
 */
export async function runProgram(program: (config: Config) => Promise<void>): Promise<void> {
  process.umask(0o077);
  try {
    const { config, warnings, tracing } = readConfig(process.env);
    for (const warning of warnings) console.error(`warning: ${warning}`);
    Object.assign(process.env, tracing, process.env);
    const notice = prepareTracing(process.env, config.TRACING);
    if (notice !== null) console.error(notice);
    if (process.env.KEEPSAKE_FAULT !== undefined) armFaults(parseFault(process.env.KEEPSAKE_FAULT));
    await program(config);
    await flushTraces(process.env);
  } catch (error) {
    if (!(error instanceof KeepsakeError)) throw error;
    for (const line of error.message.split('\n')) console.error(`keepsake: ${line}`);
    process.exitCode = exitCodeOf(error);
  }
}

/** The arguments of a command. */
type Arguments = { values: Record<string, string | boolean | undefined>; files: string[] };

/** A command for the owner: its help, whose first line is its usage, and the arguments that it takes. */
type OwnerCommand = {
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** The number of file names that it takes. */
  files: number;
  run: (config: Config, args: Arguments) => Promise<void> | void;
};

/** Runs a command for the owner as a program; `--help` shows its help, and wrong arguments end in one sentence. */
export async function runOwnerCommand({ help, options, files, run }: OwnerCommand): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    return;
  }
  const usage = help.split('\n')[0] ?? '';
  await runProgram(async (config) => {
    await run(config, parseArguments(args, usage, options, files));
  });
}

function exitCodeOf(error: KeepsakeError): number {
  if (error.code === 'config') return EXIT.config;
  return error.name === 'StorageError' ? EXIT.storage : EXIT.failed;
}

function parseArguments(args: string[], usage: string, options: OwnerCommand['options'], files: number): Arguments {
  const { values, positionals } = parseOptions(args, usage, options);
  if (positionals.length === files) return { values: values as Arguments['values'], files: positionals };
  const expected = files === 0 ? 'takes no file name' : 'takes one file name';
  throw new ConfigError([`this command ${expected}; ${usage}`]);
}

function parseOptions(args: string[], usage: string, options: OwnerCommand['options']) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    const unknown = /'(-[^']*)'/u.exec(String(cause))?.[1] ?? 'an argument';
    throw new ConfigError([`${unknown} is not understood; ${usage}`]);
  }
}

/** The forms in which a session is named on the command line, for messages. */
export const SESSION_FORMS = '"NAME" or "terminal:NAME" of a terminal chat, or "discord:CHANNEL ID"';

/** Tells whether a text may name a terminal session. */
export function isSessionName(name: string): boolean {
  return /^[\p{L}\p{N}._-]{1,64}$/u.test(name);
}

/** Parses a session name; one without a prefix is a terminal chat's, as in `npm run chat`. Null when it is none. */
export function parseSession(text: string, serverId: string | null = null): Session | null {
  const [, kind = 'terminal', name = ''] = /^(?:(terminal|discord):)?([^:]*)$/u.exec(text) ?? [];
  if (!isSessionName(name)) return null;
  if (kind === 'terminal') return terminalSession(name);
  return /^\d+$/u.test(name) ? { id: `discord:${name}`, parentId: null, serverId } : null;
}

/** Formats the row counts of a database: `12 messages in 3 conversations`. */
export function formatCounts(rows: Record<string, number>): string {
  return `${plural(rows.messages ?? 0, 'message')} in ${plural(rows.sessions ?? 0, 'conversation')}`;
}

/** Formats the size of a file: `1.5 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
