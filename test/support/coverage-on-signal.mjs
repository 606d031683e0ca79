// Imported into a process with NODE_OPTIONS: at each SIGUSR2 it writes which functions have run since the last one.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0))
    .map(({ url }) => url);
  writeFileSync(process.env.COVERAGE_FILE, JSON.stringify(ran));
  console.log('coverage taken');
});
