import { cpus, loadavg } from 'node:os';
import Sqlite from 'better-sqlite3';
import { counting } from './parts/counting.js';
import { discord } from './parts/discord.js';
import { startup } from './parts/startup.js';
import { tokens } from './parts/tokens.js';
import { turns } from './parts/turns.js';

/** The parts of the bench by the name that runs one alone; each resolves with Markdown. */
const PARTS: Record<string, () => Promise<string>> = { turns, tokens, startup, counting, discord };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else {
  const sqlite = new Sqlite(':memory:').prepare('SELECT sqlite_version()').pluck().get();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  console.log(
    `${machine}, Node ${process.version}, SQLite ${sqlite}, load ${loadavg()[0]?.toFixed(1)} at the start.\n`,
  );
  for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) console.log(await PARTS[name]?.());
}
