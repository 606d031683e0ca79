import type { ChatInputCommandInteraction } from 'discord.js';
import { answer, tellPrivately } from '../answers.js';
import { interactionChannel, isLate } from '../interaction-channel.js';
import { replyChannel } from '../reply-channel.js';
import { channelRoom, type Room } from '../room.js';
import type { CommandCall } from './command.js';

/** The channel in which an interaction was made, as a room; null where the bot has no access to it. */
export function roomBehind({ door, interaction, place, words }: CommandCall): Room | null {
  const { channel } = interaction;
  return channel?.isSendable() ? channelRoom(door, { session: place.session, channel, words }) : null;
}

/** A deferred interaction as a room for its own question: what is said to others is said in its channel. */
export function chatRoom(call: CommandCall, questionId: string): Room {
  const { door, interaction, place, words } = call;
  const behind = roomBehind(call);
  const channel = behind?.channel ?? null;
  const own = interactionChannel(interaction, door.clock);
  return {
    session: place.session,
    words,
    channel,
    replyChannel({ questions }) {
      const isOwn = questions.some(({ platformId }) => platformId === questionId);
      return isOwn || channel === null ? own : replyChannel(channel);
    },
    // Discord shows that a deferred interaction is at work.
    startTyping: () => () => {},
    say(sentence, id, strict) {
      const others = id !== questionId && id !== '';
      if (behind !== null && (others || isLate(interaction, door.clock))) return behind.say(sentence, id, strict);
      return others ? Promise.resolve() : sayTo(interaction, sentence);
    },
    refused: () => tellPrivately(interaction, words.unforeseen),
  };
}

/** Fills the deferral, or tells the asker alone when an answer has done so. */
export function sayTo(interaction: ChatInputCommandInteraction, sentence: string): Promise<void> {
  return interaction.replied ? tellPrivately(interaction, sentence) : answer(interaction, sentence);
}
