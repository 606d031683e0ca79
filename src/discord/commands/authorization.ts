import type { BaseInteraction } from 'discord.js';
import { CommandError } from '../../conversation/errors.js';
import { serverScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { Place } from '../shared/incoming.js';

/** What somebody wants to do: change a whole server or one channel or thread, or look at what is remembered there. */
export type Action = 'server' | 'channel' | 'show';

/** The rights that each deed takes; Discord computes who has them for the very channel and sends them along. */
const RIGHTS = {
  server: ['ManageGuild'],
  channel: ['ManageChannels'],
  thread: ['ManageThreads'],
  show: ['ViewChannel', 'ReadMessageHistory'],
} as const;

/** One of Discord's rights that count here. */
type Right = (typeof RIGHTS)[keyof typeof RIGHTS][number];

/** Who wants something, where, and in which words they are answered. */
export type Requester = { interaction: Pick<BaseInteraction, 'memberPermissions'>; place: Place; words: Words };

/** The first right that is missing for a deed, or null; in a direct message its person may do everything. */
export function missingRight({ interaction, place }: Omit<Requester, 'words'>, deed: Action): Right | null {
  if (place.session.serverId === null) return null;
  const needed: readonly Right[] = RIGHTS[deed === 'channel' && place.thread ? 'thread' : deed];
  return needed.find((right) => interaction.memberPermissions?.has(right) !== true) ?? null;
}

/**
 * Refuses a deed to those who lack the right.
 * @throws {CommandError} `not-allowed`, naming the right, and `scope:channel` where that would do.
 */
export function requireRight(asker: Requester, deed: Action): void {
  const { words } = asker;
  const missing = missingRight(asker, deed);
  if (missing === null) return;
  const { needsRight, needsServerRight } = words.refusals;
  const channelWouldDo = deed === 'server' && missingRight(asker, 'channel') === null;
  throw new CommandError('not-allowed', (channelWouldDo ? needsServerRight : needsRight)(words.rights[missing]));
}

/** For whom a setting is, and the scope id under which it is kept. */
type Scope = { scope: 'server' | 'channel'; scopeId: string };

/**
 * The scope that an option names; the server when it names none, in a direct message the message itself.
 * @throws {CommandError} `not-allowed` without the right for it, and for a server in a direct message.
 */
export function chooseScope(asker: Requester, given: unknown): Scope {
  const { session } = asker.place;
  if (session.serverId === null) {
    if (given === 'server') throw new CommandError('not-allowed', asker.words.refusals.noServer);
    return { scope: 'channel', scopeId: session.id };
  }
  const scope = given === 'channel' ? 'channel' : 'server';
  requireRight(asker, scope);
  return { scope, scopeId: scope === 'channel' ? session.id : serverScope(session.serverId) };
}
