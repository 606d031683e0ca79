import { Parked, type TurnOutcome } from '../../chatbot/delivery.js';
import { admitAsker } from '../admission.js';
import { answer, tellPrivately } from '../answers.js';
import { DeliveryError } from '../delivery-error.js';
import { isOptedOut } from '../opt-out.js';
import type { Reply } from '../reply.js';
import type { RunningAnswer } from '../running.js';
import { speakerName } from '../speaker.js';
import { buildCommand } from './build.js';
import { replyTo } from './chat-answer.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/chat`: asks a question where the bot cannot read messages; its answer is the interaction's. */
export const chat: SlashCommand = { data: buildCommand('chat'), firstReply: () => 'public', execute };

async function execute(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const { user } = interaction;
  if (await isOptedOut(door, place.personScope, user.id)) return tellPrivately(interaction, words.chat.optedOut);
  const admission = admitAsker(door, user.id, interaction.createdTimestamp, place.session, words);
  if (admission.verdict !== 'admitted') return tellPrivately(interaction, admission.sentence);
  try {
    await hear(call);
    await answerQuestion(call);
  } catch (error) {
    // Somebody deleted the answer while it was given: there is nothing left to say.
    if (!(error instanceof DeliveryError && error.code === 'gone')) throw error;
  } finally {
    admission.leave();
  }
}

async function hear({ door, interaction, place, options }: CommandCall): Promise<void> {
  await door.chatbot.hear({
    session: place.session,
    // Not a message's id: catching up must not miss it in the channel. Short, since nonces are made of it.
    platformId: `c:${interaction.id}`,
    authorId: interaction.user.id,
    authorName: speakerName(interaction),
    text: String(options.message),
    quote: null,
    createdAt: interaction.createdTimestamp,
    addressed: true,
  });
}

async function answerQuestion(call: CommandCall): Promise<void> {
  const { door, place } = call;
  const running = door.running.start(place.session.id);
  let reply: Reply | null = null;
  try {
    const outcome = await door.chatbot.answer(
      place.session,
      async (pieces, turn) => {
        reply = replyTo(call, turn, running);
        if (running.begin(turn.questions, reply)) await reply.deliver(pieces).catch(parkAtEnd(running));
      },
      { signal: running.signal },
    );
    await explainOutcome(call, outcome, reply);
  } finally {
    running.finish();
  }
}

/** At the end of the program the turn waits for the next start, which answers it in the channel. */
function parkAtEnd(running: RunningAnswer): (error: unknown) => never {
  return (error) => {
    throw running.stopped() === 'shutdown' ? new Parked() : error;
  };
}

/** Says how it ended where the answer itself does not. */
async function explainOutcome(call: CommandCall, outcome: TurnOutcome, reply: Reply | null): Promise<void> {
  const { interaction, words } = call;
  const shown = reply !== null && reply.messageIds().length > 0;
  switch (outcome.kind) {
    case 'answered':
      return outcome.finish === 'length' ? reply?.close(words.answerCutOff) : undefined;
    case 'nothing':
      return answer(interaction, words.chat.together);
    case 'forgotten':
      await reply?.remove();
      return tellPrivately(interaction, words.chat.forgotten);
    case 'failed':
      // What was shown of an answer that broke off has its remark already.
      return shown ? undefined : answer(interaction, words.errors[outcome.error.code]);
    case 'cancelled':
      return shown ? undefined : answer(interaction, words.answerStopped);
    case 'expired':
      return answer(interaction, words.chat.expired);
    case 'parked':
      return shown ? undefined : answer(interaction, words.reply.interrupted);
  }
}
