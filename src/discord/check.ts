import {
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { type Finding, okFinding, problemFinding } from '../conversation/finding.js';
import { fatalClose, loginError } from './login-guards.js';
import { createClient } from './shared/client.js';

/** The permissions that the bot needs in a channel, and in the threads below it. */
export const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks;

/** The permissions that it needs in a thread, where `SendMessages` has no effect. */
export const THREAD_PERMISSIONS = PERMISSIONS & ~PermissionFlagsBits.SendMessages;

/** Builds the link by which a server's owner invites the bot with exactly these permissions. */
export function inviteLink(applicationId: string): string {
  const scope = 'bot%20applications.commands';
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=${scope}&permissions=${PERMISSIONS}`;
}

/** What a check needs; `api` replaces Discord's own address. */
export type CheckOptions = { token: string; api: string | undefined; messageContent: boolean };

/** Logs in as the bot would, checks its permissions in every channel, and logs out; every problem is a finding with its mend. */
export async function checkDiscord(options: CheckOptions): Promise<Finding[]> {
  const client = createClient(options);
  client.on(Events.Error, () => {});
  try {
    await logIn(client, options.token);
    const intents = options.messageContent
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

/** One finding for a server without problems, or one for each channel that lacks permissions. */
function checkServer(guild: Guild): Finding[] {
  const channels = guild.channels.cache.filter((channel) => channel.isTextBased() || channel.isThreadOnly());
  const problems = channels.map((channel) => checkChannel(guild, channel)).filter((finding) => finding !== null);
  return problems.length > 0
    ? problems
    : [okFinding('server', `${guild.name}: all rights in ${channels.size} channels`)];
}

function checkChannel(guild: Guild, channel: GuildBasedChannel): Finding | null {
  const me = guild.members.me;
  if (me === null) return null;
  const needed = new PermissionsBitField(channel.isThread() ? THREAD_PERMISSIONS : PERMISSIONS);
  const missing = channel.permissionsFor(me)?.missing(needed) ?? needed.toArray();
  // A channel that the bot cannot see was probably hidden from it on purpose.
  if (missing.length === 0 || missing.includes('ViewChannel')) return null;
  const names = missing.map((name) => name.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')).join(', ');
  return problemFinding('rights', `#${channel.name} in ${guild.name}: give the bot's role ${names}, or invite it anew`);
}
