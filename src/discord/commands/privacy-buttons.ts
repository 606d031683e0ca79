import { CommandError } from '../../conversation/errors.js';
import { ownScope } from '../../conversation/session.js';
import { answer } from '../answers.js';
import { speakerName } from '../speaker.js';
import type { Button, ButtonCall } from './command.js';
import { askToConfirm } from './confirm.js';
import { sendExport } from './export.js';
import { explainReceipt } from './forget.js';
import { placeName } from './privacy.js';

/** The buttons under `/privacy`; each is about who presses it, in this server or direct message. */
export const privacyButton: Button = { firstReply: 'private', press };

/** Erases all that somebody said in a server or direct message, once that was confirmed. */
export const erasePersonButton: Button = { firstReply: 'update', press: erase };

function press(call: ButtonCall): Promise<void> {
  const { words, place } = call;
  switch (call.what) {
    case 'export':
      return sendExport(call);
    case 'erase':
      return askToConfirm(call, words.forget.confirm.person(placeName(words, place)), 'erase', 'person');
    case 'opt-out':
      return choose(call, true);
    case 'opt-in':
      return choose(call, false);
    default:
      throw new CommandError('bad-option', words.buttons.unknown);
  }
}

async function choose({ door, interaction, place, words }: ButtonCall, optedOut: boolean): Promise<void> {
  await door.chatbot.people.setOptOut(ownScope(place.session), interaction.user.id, optedOut);
  const { optedOut: out, optedIn } = words.privacy;
  await answer(interaction, (optedOut ? out : optedIn)(placeName(words, place)));
}

async function erase({ door, interaction, place, words }: ButtonCall): Promise<void> {
  const person = { id: interaction.user.id, name: speakerName(interaction) };
  const receipt = await door.chatbot.people.erasePerson(ownScope(place.session), person);
  const none = receipt.messages + receipt.answers === 0 && receipt.summary === 'none';
  await answer(interaction, { content: none ? words.forget.nothing : explainReceipt(words, receipt), components: [] });
}
