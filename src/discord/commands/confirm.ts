import { ActionRowBuilder, ButtonBuilder, ButtonStyle, type MessageActionRowComponentBuilder } from 'discord.js';
import { editDeferredReply } from '../shared/respond.js';
import type { Button, Call } from './command.js';
import { writeCustomId } from './custom-id.js';

/** How long a confirmation can be given, in milliseconds. */
export const CONFIRM_MS = 120_000;

/** Asks to confirm what cannot be undone; only the asker can, and only for two minutes. */
export async function askForConfirmation(call: Call, question: string, kind: string, what: string): Promise<void> {
  const { ctx, interaction, words } = call;
  const id = { what, owner: interaction.user.id, until: ctx.clock() + CONFIRM_MS };
  const button = (label: string, style: ButtonStyle, customId: string) =>
    new ButtonBuilder().setCustomId(customId).setLabel(label).setStyle(style);
  const row = new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(
    button(words.forget.yes, ButtonStyle.Danger, writeCustomId({ ...id, kind })),
    button(words.forget.no, ButtonStyle.Secondary, writeCustomId({ ...id, kind: 'keep' })),
  );
  await editDeferredReply(interaction, { content: question, components: [row] });
}

/** Cancels what was to be confirmed. */
export const cancelButton: Button = {
  firstReply: 'update',
  press: ({ interaction, words }) => editDeferredReply(interaction, { content: words.forget.kept, components: [] }),
};
