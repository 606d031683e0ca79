import { chat } from './chat.js';
import type { SlashCommand } from './command.js';
import { help } from './help.js';
import { memory } from './memory.js';
import { privacy } from './privacy.js';
import { settings } from './settings.js';

/** Every slash command that the bot offers. */
export const slashCommands: readonly SlashCommand[] = [memory, settings, chat, privacy, help];
