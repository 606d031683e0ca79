import { PermissionFlagsBits } from 'discord.js';

/** Exactly what the bot needs in a channel, and in the threads below it. */
export const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks;

/** What it needs in a thread, where the right to send messages has no effect. */
export const THREAD_PERMISSIONS = PERMISSIONS & ~PermissionFlagsBits.SendMessages;

/** The link by which a server's owner invites the bot, with exactly these rights. */
export function inviteLink(applicationId: string): string {
  const scope = 'bot%20applications.commands';
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=${scope}&permissions=${PERMISSIONS}`;
}
