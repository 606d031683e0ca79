import { type ChatInputCommandInteraction, MessageFlags } from 'discord.js';
import type { Clock } from '../conversation/clock.js';
import { DeliveryError } from './delivery-error.js';
import { type ReplyChannel, translated, viewPayload } from './reply-channel.js';

/** For how long an interaction can be answered, with a margin: Discord gives 15 minutes. In milliseconds. */
const TOKEN_MS = 14 * 60_000;

/** Whether an interaction is too old to be answered as such. */
export function isLate(interaction: ChatInputCommandInteraction, clock: Clock): boolean {
  return clock() - interaction.createdTimestamp > TOKEN_MS;
}

/**
 * An interaction that was deferred, as a reply's channel: the first message fills the deferral, further ones follow it.
 * Once the interaction is too old for that, messages go into its channel where the bot may write.
 */
export function interactionChannel(interaction: ChatInputCommandInteraction, clock: Clock): ReplyChannel {
  let waits = true;
  const late = () => isLate(interaction, clock);
  const channel = () => {
    if (interaction.channel?.isSendable()) return interaction.channel;
    throw new DeliveryError('no-access');
  };
  return {
    id: interaction.id,
    post: (view, _posting, stop) =>
      translated(async () => {
        const message = { ...viewPayload(view, stop), flags: MessageFlags.SuppressEmbeds } as const;
        const answers = () => (waits ? interaction.editReply(message) : interaction.followUp(message));
        const { id } = await (late() ? channel().send(message) : answers());
        waits = false;
        return { id, same: true };
      }),
    edit: (messageId, view, stop) =>
      translated(async () => {
        const message = { ...viewPayload(view, stop), flags: MessageFlags.SuppressEmbeds } as const;
        await (late()
          ? channel().messages.edit(messageId, message)
          : interaction.webhook.editMessage(messageId, message));
      }),
    remove: (messageId) =>
      translated(() => (late() ? channel().messages.delete(messageId) : interaction.webhook.deleteMessage(messageId))),
  };
}
