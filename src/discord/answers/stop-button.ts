import { ActionRowBuilder, ButtonBuilder, type ButtonInteraction, ButtonStyle } from 'discord.js';
import type { Words } from '../../words/en.js';
import { discordSession } from '../shared/incoming.js';
import { isInteractionGone, replyPrivately } from '../shared/respond.js';
import type { RunningAnswers } from '../shared/running-answers.js';

/** What a stop button says and which answer it stops, named by the message that triggered it. */
export type StopButton = { triggerId: string; label: string };

const PREFIX = 'stop:';

/** Builds a row with the stop button. */
export function stopRow({ triggerId, label }: StopButton): ActionRowBuilder<ButtonBuilder> {
  const button = new ButtonBuilder()
    .setCustomId(PREFIX + triggerId)
    .setLabel(label)
    .setStyle(ButtonStyle.Secondary);
  return new ActionRowBuilder<ButtonBuilder>().addComponents(button);
}

/** Reads the trigger out of a custom id; null when the id is not a stop button's. */
export function parseStopId(customId: string): string | null {
  return customId.startsWith(PREFIX) ? customId.slice(PREFIX.length) : null;
}

/** What handling a press needs; `mayModerate` tells whether the person may delete others' messages there. */
type StopPress = {
  running: Pick<RunningAnswers, 'byQuestion'>;
  words: Words['reply'];
  mayModerate: (interaction: ButtonInteraction) => boolean;
};

/**
 * Stops the answer for its asker and for moderators; others, and presses on an answer that has ended or never was, get a
 * sentence that only they see.
 */
export async function handleStopPress(
  interaction: ButtonInteraction,
  { running, words, mayModerate }: StopPress,
): Promise<void> {
  const triggerId = parseStopId(interaction.customId);
  const { id: sessionId } = discordSession(interaction.channelId, interaction.guildId);
  const answer = triggerId === null ? null : running.byQuestion(sessionId, triggerId);
  if (answer === null) return unlessGone(() => replyPrivately(interaction, words.over));
  if (!answer.isAskedBy(interaction.user.id) && !mayModerate(interaction)) {
    return unlessGone(() => replyPrivately(interaction, words.notYours));
  }
  answer.stop('asked');
  await unlessGone(() => interaction.deferUpdate());
}

/** An interaction that has expired or was answered already needs no answer. */
async function unlessGone(respond: () => Promise<unknown>): Promise<void> {
  try {
    await respond();
  } catch (error) {
    if (!isInteractionGone(error)) throw error;
  }
}
