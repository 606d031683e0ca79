import { type InteractionEditReplyOptions, MessageFlags, type RepliableInteraction } from 'discord.js';
import { cut } from './plain-text.js';

/** Units that Discord allows in one message. */
export const MESSAGE_UNITS = 2_000;

/** Lets nothing that is sent ping anybody. */
export const NO_PINGS = { parse: [] };

/** Shows the answer of an interaction that was deferred; without pings. */
export async function answer(
  interaction: RepliableInteraction,
  given: string | InteractionEditReplyOptions,
): Promise<void> {
  const payload = typeof given === 'string' ? { content: cut(given, MESSAGE_UNITS) } : given;
  await interaction.editReply({ ...payload, allowedMentions: NO_PINGS });
}

/** Says one sentence to the asker alone, however far the interaction has come. */
export async function tellPrivately(interaction: RepliableInteraction, sentence: string): Promise<void> {
  const content = cut(sentence, MESSAGE_UNITS);
  const note = { content, flags: MessageFlags.Ephemeral, allowedMentions: NO_PINGS } as const;
  if (!interaction.deferred && !interaction.replied) {
    await interaction.reply(note);
  } else if (interaction.deferred && !interaction.replied && interaction.ephemeral === true) {
    await interaction.editReply({ content, allowedMentions: NO_PINGS });
  } else {
    const waits = interaction.deferred && !interaction.replied && !interaction.isMessageComponent();
    // A deferral fixes who sees the answer; a public one has to go before a private one can be given.
    if (waits) await interaction.deleteReply();
    await interaction.followUp(note);
  }
}
