// Opens a database, carries out the steps that stand in its orders, and tells after each that it is durable.
import { writeSync } from 'node:fs';
import { armFaults, parseFault } from '../../../dist/fault.js';
import { openStore } from '../../../dist/storage/open.js';

const { path, options, fault, steps, umask } = JSON.parse(process.argv[2]);
if (umask !== undefined) process.umask(umask);
if (fault) armFaults(parseFault(fault));
const say = (word, value) => writeSync(1, `${JSON.stringify([word, value ?? null])}\n`);

let store;
try {
  store = await openStore(path, options);
} catch (error) {
  say('refused', { code: error.code, message: error.message });
  process.exit(3);
}
say('opened');
let turn = null;
for (const [verb, ...values] of steps) {
  if (verb === 'hold') await new Promise(() => setInterval(() => {}, 1_000));
  const result = await store[verb](...values.map((value) => (value === 'TURN' ? turn : value)));
  if (verb === 'unfinishedAnswer') turn = result?.turn ?? null;
  say('done', result);
}
await store.close();
say('closed');
