import {
  DiscordAPIError,
  type InteractionEditReplyOptions,
  MessageFlags,
  RESTJSONErrorCodes,
  type RepliableInteraction,
} from 'discord.js';
import { cut, MESSAGE_LIMIT } from './format.js';

/** Nothing that is sent pings anybody. */
export const NO_PINGS = { parse: [], repliedUser: false };

/** Bytes of the files of one answer at most, whatever Discord would take; they are held in memory. */
export const MAX_ATTACHMENT_BYTES = 8 * 1024 * 1024;

/** Shows the answer of an interaction that was deferred. */
export async function editDeferredReply(
  interaction: RepliableInteraction,
  given: string | InteractionEditReplyOptions,
): Promise<void> {
  const payload = typeof given === 'string' ? { content: cut(given, MESSAGE_LIMIT) } : given;
  await interaction.editReply({ ...payload, allowedMentions: NO_PINGS });
}

/** Tells one sentence to the asker alone, whether the interaction was deferred, answered or neither. */
export async function replyPrivately(interaction: RepliableInteraction, sentence: string): Promise<void> {
  const content = cut(sentence, MESSAGE_LIMIT);
  const note = { content, flags: MessageFlags.Ephemeral, allowedMentions: NO_PINGS } as const;
  if (!interaction.deferred && !interaction.replied) {
    await interaction.reply(note);
  } else if (interaction.deferred && !interaction.replied && interaction.ephemeral === true) {
    await interaction.editReply({ content, allowedMentions: NO_PINGS });
  } else {
    const waits = interaction.deferred && !interaction.replied && !interaction.isMessageComponent();
    // A deferral fixes who sees the answer, so a public one is deleted before a private one can be given.
    if (waits) await interaction.deleteReply();
    await interaction.followUp(note);
  }
}

const GONE: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
];

/** Whether an error says that an interaction has expired or was answered before, so that nobody can be told any more. */
export function isInteractionGone(error: unknown): boolean {
  return error instanceof DiscordAPIError && GONE.includes(error.code);
}
