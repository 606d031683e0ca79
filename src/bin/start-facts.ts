import { readFileSync, statSync } from 'node:fs';
import type { App } from '../app.js';
import type { Config } from '../config.js';
import { DAY_MS } from '../conversation/clock.js';
import { DEFAULT_STRATEGY } from '../conversation/settings.js';
import { databasePath } from '../storage/open.js';

/** What the log says at the start: versions, the database, the model, the intents; no texts and no secrets. */
export type StartFacts = {
  version: string;
  node: string;
  database: { path: string; bytes: number; ageDays: number } | { path: string };
  sessions: number;
  model: string;
  strategy: string;
  intents: readonly string[];
};

/** Gathers the facts of a start. */
export async function startFacts(config: Config, app: App, intents: readonly string[]): Promise<StartFacts> {
  let sessions = 0;
  for await (const _ of app.chatbot.places.sessions()) sessions += 1;
  return {
    version: packageVersion(),
    node: process.version,
    database: describe(databasePath(config.DATABASE_URL)),
    sessions,
    model: app.connection.model.id,
    strategy: DEFAULT_STRATEGY.name,
    intents,
  };
}

/** The version in the package's own manifest. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(manifest) as { version: unknown }).version);
}

function describe(path: string): StartFacts['database'] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path };
  return { path, bytes: stat.size, ageDays: Math.floor((Date.now() - stat.birthtimeMs) / DAY_MS) };
}
