import type { BaseInteraction } from 'discord.js';
import { CommandError } from '../../conversation/errors.js';
import { serverScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import type { Place } from '../shared/incoming.js';

/** What a person wants to do: change a whole server, or one channel or thread, or see what is stored there. */
export type Action = 'server' | 'channel' | 'show';

/** The permissions that each action takes; Discord sends those that the person has in the channel with the interaction. */
const RIGHTS = {
  server: ['ManageGuild'],
  channel: ['ManageChannels'],
  thread: ['ManageThreads'],
  show: ['ViewChannel', 'ReadMessageHistory'],
} as const;

/** One of Discord's permissions that count here. */
type Right = (typeof RIGHTS)[keyof typeof RIGHTS][number];

/** Who requests an action, where, and in which language they are answered. */
export type Requester = { interaction: Pick<BaseInteraction, 'memberPermissions'>; place: Place; words: Words };

/** Returns the first permission that is missing for an action, or null; in a direct message its person may do everything. */
export function missingRight({ interaction, place }: Omit<Requester, 'words'>, action: Action): Right | null {
  if (place.session.serverId === null) return null;
  const needed: readonly Right[] = RIGHTS[action === 'channel' && place.thread ? 'thread' : action];
  return needed.find((right) => interaction.memberPermissions?.has(right) !== true) ?? null;
}

/**
 * Refuses an action to those who lack the permission.
 * @throws {CommandError} `not-allowed`, naming the permission, and `scope:channel` where that would do.
 */
export function requireRight(requester: Requester, action: Action): void {
  const { words } = requester;
  const missing = missingRight(requester, action);
  if (missing === null) return;
  const { needsRight, needsServerRight } = words.refusals;
  const channelWouldDo = action === 'server' && missingRight(requester, 'channel') === null;
  throw new CommandError('not-allowed', (channelWouldDo ? needsServerRight : needsRight)(words.rights[missing]));
}

/** The scope of a setting, and the id under which it is stored. */
type Scope = { scope: 'server' | 'channel'; scopeId: string };

/**
 * Chooses the scope that an option names; the server when it names none, in a direct message its own session.
 * @throws {CommandError} `not-allowed` without the permission for it, and for a server in a direct message.
 */
export function chooseScope(requester: Requester, given: unknown): Scope {
  const { session } = requester.place;
  if (session.serverId === null) {
    if (given === 'server') throw new CommandError('not-allowed', requester.words.refusals.noServer);
    return { scope: 'channel', scopeId: session.id };
  }
  const scope = given === 'channel' ? 'channel' : 'server';
  requireRight(requester, scope);
  return { scope, scopeId: scope === 'channel' ? session.id : serverScope(session.serverId) };
}
