import {
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { type Finding, okFinding, problemFinding } from '../conversation/finding.js';
import { fatalClose, loginError } from './login.js';
import { createClient } from './shared/client.js';

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

/** What a check-up of Discord needs. */
export type CheckOptions = { token: string; api: string | undefined; messageContent: boolean };

/** Logs in as the bot would, looks at its servers and channels, and leaves; every fault is a finding with its mend. */
export async function checkDiscord(given: CheckOptions): Promise<Finding[]> {
  const client = createClient(given);
  client.on(Events.Error, () => {});
  try {
    await logIn(client, given.token);
    const intents = given.messageContent
      ? 'with Message Content'
      : 'without Message Content: only what is addressed to it is read';
    return [
      okFinding('token', `logged in as ${client.user?.tag}`),
      okFinding('intents', intents),
      ...[...client.guilds.cache.values()].flatMap(checkServer),
      okFinding('invite', inviteLink(client.application?.id ?? '')),
    ];
  } catch (error) {
    return [problemFinding('Discord', error instanceof Error ? error.message : String(error))];
  } finally {
    await client.destroy();
  }
}

async function logIn(client: Client, token: string): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  const refused = new Promise<never>((_, reject) => {
    client.on(Events.ShardDisconnect, ({ code }) => {
      const error = fatalClose(code);
      if (error !== null) reject(error);
    });
  });
  const entered = client.login(token).catch((error) => Promise.reject(loginError(error)));
  await Promise.race([entered.then(() => ready), refused]);
}

/** One line for a server that is well, or one for each channel that lacks rights. */
function checkServer(guild: Guild): Finding[] {
  const channels = guild.channels.cache.filter((channel) => channel.isTextBased() || channel.isThreadOnly());
  const faults = channels.map((channel) => checkChannel(guild, channel)).filter((finding) => finding !== null);
  return faults.length > 0 ? faults : [okFinding('server', `${guild.name}: all rights in ${channels.size} channels`)];
}

function checkChannel(guild: Guild, channel: GuildBasedChannel): Finding | null {
  const me = guild.members.me;
  if (me === null) return null;
  const needed = new PermissionsBitField(channel.isThread() ? THREAD_PERMISSIONS : PERMISSIONS);
  const missing = channel.permissionsFor(me)?.missing(needed) ?? needed.toArray();
  // A channel that the bot cannot see was hidden from it on purpose, as far as anybody can tell.
  if (missing.length === 0 || missing.includes('ViewChannel')) return null;
  const names = missing.map((name) => name.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')).join(', ');
  return problemFinding('rights', `#${channel.name} in ${guild.name}: give the bot's role ${names}, or invite it anew`);
}
