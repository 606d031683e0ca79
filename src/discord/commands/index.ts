import { budget, usage } from './budget.js';
import { chat } from './chat.js';
import type { Button, ModalHandler, SlashCommand } from './command.js';
import { cancelButton } from './confirm.js';
import { help } from './help.js';
import { forgetButton, memory } from './memory.js';
import { erasePersonButton, privacy, privacyButton } from './privacy.js';
import { personaModalHandler, settings } from './settings.js';

/** Every slash command that the bot offers. */
export const slashCommands: readonly SlashCommand[] = [memory, settings, chat, budget, usage, privacy, help];

/** Every button by the kind that its custom id begins with. */
export const buttons: Readonly<Record<string, Button>> = {
  forget: forgetButton,
  keep: cancelButton,
  privacy: privacyButton,
  erase: erasePersonButton,
};

/** Every form by the kind that its custom id begins with. */
export const modalHandlers: Readonly<Record<string, ModalHandler>> = { persona: personaModalHandler };
