import {
  ActionRowBuilder,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  DiscordAPIError,
  MessageFlags,
} from 'discord.js';
import type { Words } from '../../words/en.js';
import { discordSession } from '../shared/incoming.js';
import type { RunningAnswers } from '../shared/running-answers.js';

/** What a stop button says and which answer it stops, named by the message that triggered it. */
export type StopButton = { triggerId: string; label: string };

const PREFIX = 'stop:';

/** A row with the stop button. */
export function stopRow({ triggerId, label }: StopButton): ActionRowBuilder<ButtonBuilder> {
  const button = new ButtonBuilder()
    .setCustomId(PREFIX + triggerId)
    .setLabel(label)
    .setStyle(ButtonStyle.Secondary);
  return new ActionRowBuilder<ButtonBuilder>().addComponents(button);
}

/** The trigger that a custom id names, or null when the id is not a stop button's. */
export function parseStopId(customId: string): string | null {
  return customId.startsWith(PREFIX) ? customId.slice(PREFIX.length) : null;
}

/** What handling a press needs; `mayModerate` asks live whether the person may delete others' messages there. */
type StopPress = {
  running: Pick<RunningAnswers, 'byQuestion'>;
  words: Words['reply'];
  mayModerate: (interaction: ButtonInteraction) => boolean | Promise<boolean>;
};

/**
 * Stops the answer for whoever asked it and for moderators; others, and presses on what is over or was never there,
 * get a sentence that only they see.
 */
export async function handleStopPress(
  interaction: ButtonInteraction,
  { running, words, mayModerate }: StopPress,
): Promise<void> {
  const triggerId = parseStopId(interaction.customId);
  const { id: sessionId } = discordSession(interaction.channelId, interaction.guildId);
  const answer = triggerId === null ? null : running.byQuestion(sessionId, triggerId);
  if (answer === null) return say(interaction, words.over);
  if (!answer.isAskedBy(interaction.user.id) && !(await mayModerate(interaction))) {
    return say(interaction, words.notYours);
  }
  answer.stop('asked');
  await acknowledged(() => interaction.deferUpdate());
}

function say(interaction: ButtonInteraction, content: string): Promise<void> {
  return acknowledged(() => interaction.reply({ content, flags: MessageFlags.Ephemeral }));
}

/** An interaction that has expired, or was answered already, leaves nothing to say. */
async function acknowledged(respond: () => Promise<unknown>): Promise<void> {
  try {
    await respond();
  } catch (error) {
    const late = error instanceof DiscordAPIError && (error.code === 10062 || error.code === 40060);
    if (!late) throw error;
  }
}
