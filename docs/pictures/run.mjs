import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

// The test support that plays Discord is TypeScript, which Node 20 does not run.
await runnerImport(fileURLToPath(new URL('./main.ts', import.meta.url)));
