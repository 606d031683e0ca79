import type { Button, Form } from './command.js';
import { keepButton } from './confirm.js';
import { forgetButton } from './forget.js';
import { personaForm } from './persona.js';
import { erasePersonButton, privacyButton } from './privacy-buttons.js';

/** Every button by the kind that its custom id begins with. */
export const buttons: Readonly<Record<string, Button>> = {
  forget: forgetButton,
  keep: keepButton,
  privacy: privacyButton,
  erase: erasePersonButton,
};

/** Every form by the kind that its custom id begins with. */
export const forms: Readonly<Record<string, Form>> = { persona: personaForm };
