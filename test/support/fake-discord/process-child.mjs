// Runs the fake in plain Node 20, which does not run TypeScript: vite, which vitest brings along, compiles it.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = fileURLToPath(new URL('./process.ts', import.meta.url));
const { module } = await runnerImport(path, { configFile: false, logLevel: 'silent' });
module.serveFakeDiscord();
