import type { DiscordAPIError, TextChannel } from 'discord.js';
import { openDiscord, readyClient } from './harness.js';

/** A guild with one channel, a member called ada, and a client that is ready there. */
export async function openWorkshop() {
  const discord = await openDiscord();
  const guild = discord.addGuild({ name: 'Workshop' });
  const channel = discord.addChannel(guild);
  const ada = discord.addUser({ name: 'ada', globalName: 'Ada' });
  discord.addMember(guild, ada);
  const client = await readyClient(discord);
  const text = client.channels.cache.get(channel.id) as TextChannel;
  return { discord, guild, channel, ada, client, text };
}

/** Discord's error code for what failed, or `done`. */
export function codeOf(work: Promise<unknown>): Promise<string | number> {
  return work.then(() => 'done').catch((error: DiscordAPIError) => error.code);
}
