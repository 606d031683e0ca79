import { soak } from './load/soak.js';

const [minutes = '10'] = process.argv.slice(2);
if (!(Number(minutes) > 0)) {
  console.error('usage: npm run soak -- MINUTES');
  process.exitCode = 2;
} else {
  const { report, broken } = await soak(Number(minutes));
  console.log(report);
  for (const promise of broken) console.error(`broken: ${promise}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
