import type { ForgetOrder, ForgetReceipt } from '../../chatbot/erasure.js';
import { CommandError } from '../../conversation/errors.js';
import type { Words } from '../../words/en.js';
import { displayNameOf } from '../shared/incoming.js';
import { editDeferredReply } from '../shared/respond.js';
import { missingRight, requireRight } from './authorization.js';
import type { Button, ButtonCall, Call, CommandCall } from './command.js';
import { askForConfirmation } from './confirm.js';

/** `/memory forget`: asks for confirmation, after the permission was checked. */
export async function askToForget(call: CommandCall): Promise<void> {
  const what = String(call.options.what) as ForgetOrder['what'];
  orderOf(call, what);
  await askForConfirmation(call, call.words.forget.confirm[what], 'forget', what);
}

/** Forgets what was confirmed, if the permission still holds, and shows the receipt. */
export const forgetButton: Button = { firstReply: 'update', press };

async function press(call: ButtonCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const order = orderOf(call, call.what);
  if (order.what === 'session') ctx.running.stop(place.session.id, 'forgotten');
  const receipt = await ctx.chatbot.forget(place.session, order);
  if (order.what === 'session') ctx.backfill.sessionForgotten(place.session.id, interaction.createdTimestamp);
  const none = receipt.messages + receipt.answers === 0 && receipt.summary === 'none';
  const others = none && order.what === 'last' && order.authorId !== null;
  const right = missingRight(call, 'channel') ?? 'ManageChannels';
  const refusal = others ? words.forget.lastIsOthers(words.rights[right]) : words.forget.nothing;
  await editDeferredReply(interaction, {
    content: none ? refusal : explainForgetReceipt(words, receipt),
    components: [],
  });
}

/** Renders what a forget erased. */
export function explainForgetReceipt(words: Words, receipt: ForgetReceipt): string {
  const { rows, summary } = words.forgotten;
  return [rows(receipt.messages, receipt.answers), summary[receipt.summary]].filter((line) => line !== '').join('\n');
}

/** A session, and a turn of others, takes a permission; one's own messages take none. */
function orderOf(call: Call, what: string): ForgetOrder {
  const { user } = call.interaction;
  if (what === 'me') return { what, authorId: user.id, authorName: displayNameOf(call.interaction) };
  if (what === 'last') return { what, authorId: missingRight(call, 'channel') === null ? null : user.id };
  if (what !== 'session') throw new CommandError('bad-option', call.words.buttons.unknown);
  requireRight(call, 'channel');
  return { what };
}
