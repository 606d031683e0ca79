import { type Config, readConfig } from '../config.js';
import { KeepsakeError } from '../conversation/errors.js';
import { armFaults, faultFromOrder } from '../fault.js';
import { flushTraces, prepareTracing } from '../llm/tracing.js';

/** Exit codes: what a supervisor may act on. */
export const EXIT = { ok: 0, failed: 1, config: 2, storage: 3 } as const;

/**
 * Runs a program: reads the configuration, silences or sets up tracing before any library loads, and turns what goes wrong
 * into one clear line a fault on standard error and an exit code.
 */
export async function begin(program: (config: Config) => Promise<void>): Promise<void> {
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
