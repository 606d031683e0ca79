import type { ForgetOrder, ForgetReceipt } from '../../chatbot/forget.js';
import { CommandError } from '../../conversation/errors.js';
import type { Words } from '../../words/en.js';
import { answer } from '../answers.js';
import { missingRight, requireRight } from '../rights.js';
import { speakerName } from '../speaker.js';
import type { Button, ButtonCall, Call, CommandCall } from './command.js';
import { askToConfirm } from './confirm.js';

/** `/memory forget`: asks whether it is meant, after the right for it was checked. */
export async function askToForget(call: CommandCall): Promise<void> {
  const what = String(call.options.what) as ForgetOrder['what'];
  orderOf(call, what);
  await askToConfirm(call, call.words.forget.confirm[what], 'forget', what);
}

/** Forgets what was confirmed, if the right for it still holds, and shows the receipt. */
export const forgetButton: Button = { firstReply: 'update', press };

async function press(call: ButtonCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const order = orderOf(call, call.what);
  if (order.what === 'session') door.running.stop(place.session.id, 'forgotten');
  const receipt = await door.chatbot.forget(place.session, order);
  if (order.what === 'session') door.gaps.forget(place.session.id, interaction.createdTimestamp);
  const none = receipt.messages + receipt.answers === 0 && receipt.summary === 'none';
  const others = none && order.what === 'last' && order.authorId !== null;
  const right = missingRight(call, 'channel') ?? 'ManageChannels';
  const refusal = others ? words.forget.lastIsOthers(words.rights[right]) : words.forget.nothing;
  await answer(interaction, { content: none ? refusal : explainReceipt(words, receipt), components: [] });
}

/** What forgetting did, in counts. */
export function explainReceipt(words: Words, receipt: ForgetReceipt): string {
  const { rows, summary } = words.forgotten;
  return [rows(receipt.messages, receipt.answers), summary[receipt.summary]].filter((line) => line !== '').join('\n');
}

/** The order for what was named; a session takes the right for it, somebody else's turn too, one's own words take none. */
function orderOf(call: Call, what: string): ForgetOrder {
  const { user } = call.interaction;
  if (what === 'me') return { what, authorId: user.id, authorName: speakerName(call.interaction) };
  if (what === 'last') return { what, authorId: missingRight(call, 'channel') === null ? null : user.id };
  if (what !== 'session') throw new CommandError('bad-option', call.words.buttons.unknown);
  requireRight(call, 'channel');
  return { what };
}
