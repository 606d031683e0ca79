import { bigStore } from './load/big-store.js';
import { burst } from './load/burst.js';
import { catchUp } from './load/catch-up.js';
import { compactionStorm } from './load/compaction-storm.js';
import { replies } from './load/replies.js';
import { steady } from './load/steady.js';

/** One load: what its size counts, how big it is unless told otherwise, and the run, which resolves with Markdown. */
type Load = { counts: string; usual: number; run(size: number): Promise<string> };

const LOADS: Record<string, Load> = {
  steady: { counts: 'seconds', usual: 60, run: steady },
  burst: { counts: 'seconds', usual: 5, run: burst },
  'big-store': { counts: 'sessions', usual: 10_000, run: bigStore },
  replies: { counts: 'seconds', usual: 60, run: replies },
  'compaction-storm': { counts: 'sessions', usual: 500, run: compactionStorm },
  'catch-up': { counts: 'sessions', usual: 1_000, run: catchUp },
};

const [name = '', size] = process.argv.slice(2);
const load = Object.hasOwn(LOADS, name) ? LOADS[name] : undefined;
if (load === undefined || (size !== undefined && !(Number(size) > 0))) {
  console.error('usage: npm run load -- NAME [SIZE], where NAME and SIZE are:');
  for (const [each, { counts, usual }] of Object.entries(LOADS))
    console.error(`  ${each} [${counts}, ${usual} by default]`);
  process.exitCode = 2;
} else console.log(await load.run(size === undefined ? load.usual : Number(size)));
