import { type BaseInteraction, GuildMember } from 'discord.js';
import { cleanName } from './names.js';

/** The name under which somebody speaks where an interaction takes place: the server's nickname, else the display name. */
export function speakerName({ member, user }: Pick<BaseInteraction, 'member' | 'user'>): string {
  if (member instanceof GuildMember) return cleanName(member.displayName);
  return cleanName(member?.nick ?? user.displayName);
}
