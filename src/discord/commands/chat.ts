import type { Received } from '../../chatbot/receive.js';
import type { TurnOutcome } from '../../chatbot/turn.js';
import { answerQuestion, answerSession } from '../answers/answer.js';
import { interruptedNotice } from '../answers/reply.js';
import type { AnswerTarget } from '../answers/target.js';
import { admitQuestion } from '../messages/answer-limits.js';
import { displayNameOf } from '../shared/incoming.js';
import { editDeferredReply, replyPrivately } from '../shared/respond.js';
import { buildCommand } from './build.js';
import { chatAnswerTarget, fallbackChannelTarget } from './chat-answer-target.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/chat`: asks a question where the bot cannot read messages; the interaction shows its answer. */
export const chat: SlashCommand = { data: buildCommand('chat'), firstReply: () => 'public', execute };

async function execute(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { user, createdTimestamp: at } = interaction;
  const admission = admitQuestion(ctx, user.id, at, place.session, words);
  if (admission.verdict !== 'admitted') return replyPrivately(interaction, admission.sentence);
  try {
    await finishWaiting(call);
    // Not a snowflake: the backfill must not miss it in the channel. Short, since nonces are made of it.
    const id = `c:${interaction.id}`;
    const received = await receive(call, id);
    if (received.kind === 'opted-out') return await replyPrivately(interaction, words.chat.optedOut);
    const target = chatAnswerTarget(call, id);
    const ended = await answerQuestion(ctx, target, { id, at });
    if (!interaction.replied) await editDeferredReply(interaction, noticeFor(target, ended));
  } finally {
    admission.release();
  }
}

/** Answers what still waits since a crash or an outage, where it was asked. */
async function finishWaiting(call: CommandCall): Promise<void> {
  const { ctx, place } = call;
  const target = fallbackChannelTarget(call);
  if (target === null || ctx.chatbot.waiting(place.session.id) > 0) return;
  if ((await ctx.chatbot.deliveries.unfinishedAnswer(place.session.id)) !== null) await answerSession(ctx, target);
}

function receive({ ctx, interaction, place, options }: CommandCall, platformId: string): Promise<Received> {
  return ctx.chatbot.receive({
    session: place.session,
    platformId,
    authorId: interaction.user.id,
    authorName: displayNameOf(interaction),
    text: String(options.message),
    quote: null,
    createdAt: interaction.createdTimestamp,
    addressed: true,
  });
}

/** What the interaction shows of a question whose answer it does not show. */
function noticeFor(target: AnswerTarget, ended: TurnOutcome['kind']): string {
  const { chat: sentences, unforeseen } = target.words;
  if (ended === 'parked') return interruptedNotice(target);
  if (ended === 'expired') return sentences.expired;
  if (ended === 'failed') return unforeseen;
  return ended === 'forgotten' ? sentences.forgotten : sentences.together;
}
