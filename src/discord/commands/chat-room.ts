import type { ChatInputCommandInteraction } from 'discord.js';
import { letsWrite } from '../admission.js';
import { answer, tellPrivately } from '../answers.js';
import { interactionChannel, isLate } from '../interaction-channel.js';
import { isSnowflake, replyChannel } from '../reply-channel.js';
import { channelRoom, type Room } from '../room.js';
import { attempted, type Told } from '../tell.js';
import type { CommandCall } from './command.js';

/** The channel in which an interaction was made, as a room; null where the bot cannot see it or may not write there. */
export function roomBehind({ door, interaction, place, words }: CommandCall): Room | null {
  const { channel, appPermissions } = interaction;
  if (!channel?.isSendable()) return null;
  if (!channel.isDMBased() && !letsWrite(appPermissions, place.thread)) return null;
  return channelRoom(door, { session: place.session, channel, words });
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
    async say(sentence, id, manner): Promise<Told> {
      const own = id === questionId;
      if (own && !isLate(interaction, door.clock)) return attempted(() => sayTo(interaction, sentence));
      // What is for one person is said to nobody else: a command has no message to reply to, but its asker can be named.
      if (behind === null || !(own || isSnowflake(id))) return 'refused';
      return behind.say(own ? `<@${interaction.user.id}> ${sentence}` : sentence, id, manner);
    },
    refused: () => tellPrivately(interaction, words.unforeseen),
  };
}

/** Fills the deferral, or tells the asker alone when an answer has done so. */
export function sayTo(interaction: ChatInputCommandInteraction, sentence: string): Promise<void> {
  return interaction.replied ? tellPrivately(interaction, sentence) : answer(interaction, sentence);
}
