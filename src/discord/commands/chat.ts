import type { TurnOutcome } from '../../chatbot/turn.js';
import { answer, tellPrivately } from '../answers.js';
import { DeliveryError } from '../delivery-error.js';
import type { Reply } from '../reply.js';
import { speakerName } from '../speaker.js';
import { buildCommand } from './build.js';
import { replyTo } from './chat-answer.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/chat`: asks a question where the bot cannot read messages; its answer is the interaction's. */
export const chat: SlashCommand = { data: buildCommand('chat'), firstReply: () => 'public', execute };

async function execute(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const { optedOut } = await door.chatbot.people.optOut(place.personScope, interaction.user.id);
  if (optedOut) return tellPrivately(interaction, words.chat.optedOut);
  await hear(call);
  const running = door.running.start(place.session.id);
  try {
    let reply: Reply | null = null;
    const outcome = await door.chatbot.answer(
      place.session,
      async (pieces, turn) => {
        reply = replyTo(call, turn);
        running.begin(turn.questions, reply);
        await reply.deliver(pieces);
      },
      { signal: running.signal },
    );
    await explainOutcome(call, outcome, reply);
  } catch (error) {
    // Somebody deleted the answer while it was given: there is nothing left to say.
    if (!(error instanceof DeliveryError && error.code === 'gone')) throw error;
  } finally {
    running.finish();
  }
}

async function hear({ door, interaction, place, options }: CommandCall): Promise<void> {
  await door.chatbot.hear({
    session: place.session,
    platformId: interaction.id,
    authorId: interaction.user.id,
    authorName: speakerName(interaction),
    text: String(options.message),
    quote: null,
    createdAt: interaction.createdTimestamp,
    addressed: true,
  });
}

/** Says how it ended where the answer itself does not. */
async function explainOutcome(call: CommandCall, outcome: TurnOutcome, reply: Reply | null): Promise<void> {
  const { interaction, words } = call;
  if (outcome.kind === 'answered') {
    if (outcome.finish === 'length') await reply?.close(words.answerCutOff);
    return;
  }
  // What was shown of an answer that broke off has its remark already.
  if (reply !== null && reply.messageIds().length > 0) return;
  await answer(interaction, unansweredLine(call, outcome));
}

function unansweredLine({ words }: CommandCall, outcome: Exclude<TurnOutcome, { kind: 'answered' }>): string {
  switch (outcome.kind) {
    case 'failed':
      return words.errors[outcome.error.code];
    case 'nothing':
      return words.chat.together;
    case 'cancelled':
      return words.answerStopped;
    case 'forgotten':
      return words.chat.forgotten;
  }
}
