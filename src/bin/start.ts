import { runProgram } from './program.js';

await runProgram(async (config) => {
  if (config.DISCORD_TOKEN !== undefined) {
    const { runBot } = await import('./bot.js');
    return runBot(config, config.DISCORD_TOKEN);
  }
  console.log('No DISCORD_TOKEN is set, so Keepsake chats here in the terminal.');
  const { runTerminal } = await import('./terminal.js');
  return runTerminal(config, process.argv.slice(2));
});
// A library's timers must not keep the process alive.
process.exit();
