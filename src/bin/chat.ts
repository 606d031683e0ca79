import { begin } from './program.js';
import { runTerminal } from './terminal.js';

await begin((config) => runTerminal(config, process.argv.slice(2)));
