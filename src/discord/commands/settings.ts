import { buildCommand } from './build.js';
import { changeSetting } from './change-setting.js';
import type { CommandCall, SlashCommand } from './command.js';
import { suggestModels } from './models.js';
import { openPersonaForm } from './persona.js';
import { resetSettings } from './reset-settings.js';
import { showSettings } from './show-settings.js';

/** `/settings`: how the bot behaves in a server, channel or thread. */
export const settings: SlashCommand = {
  data: buildCommand('settings'),
  firstReply: (name) => (name === 'settings persona' ? 'form' : 'private'),
  execute,
  suggest: suggestModels,
};

function execute(call: CommandCall): Promise<void> {
  if (call.name === 'settings show') return showSettings(call);
  if (call.name === 'settings persona') return openPersonaForm(call);
  return call.name === 'settings reset' ? resetSettings(call) : changeSetting(call);
}
