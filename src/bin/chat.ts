import { runProgram } from './program.js';
import { runTerminal } from './terminal.js';

await runProgram((config) => runTerminal(config, process.argv.slice(2)));
