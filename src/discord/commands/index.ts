import { budget } from './budget.js';
import { chat } from './chat.js';
import type { SlashCommand } from './command.js';
import { help } from './help.js';
import { memory } from './memory.js';
import { privacy } from './privacy.js';
import { settings } from './settings.js';
import { usage } from './usage.js';

/** Every slash command that the bot offers. */
export const slashCommands: readonly SlashCommand[] = [memory, settings, chat, budget, usage, privacy, help];
