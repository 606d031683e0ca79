import { exportMemory, importMemory } from './archive.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';
import { askToForget } from './forget.js';
import { showMemory } from './show.js';
import { changeStrategy } from './strategy.js';
import { summarize } from './summarize.js';

/** `/memory`: how a conversation is remembered, what of it, and forgetting. A new strategy is told to the channel. */
export const memory: SlashCommand = {
  data: buildCommand('memory'),
  firstReply: (name) => (name.startsWith('memory strategy ') ? 'public' : 'private'),
  execute,
};

function execute(call: CommandCall): Promise<void> {
  if (call.name === 'memory show') return showMemory(call);
  if (call.name === 'memory summarize') return summarize(call);
  if (call.name === 'memory export') return exportMemory(call);
  if (call.name === 'memory import') return importMemory(call);
  return call.name === 'memory forget' ? askToForget(call) : changeStrategy(call);
}
