// Runs the TypeScript of the fake in plain Node: vite is there already and compiles it on the fly.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = fileURLToPath(new URL('./process.ts', import.meta.url));
const { module } = await runnerImport(path, { configFile: false, logLevel: 'silent' });
module.serveFakeDiscord();
