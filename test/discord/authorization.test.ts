import { PermissionsBitField, type PermissionsString } from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  type Action,
  chooseScope,
  missingRight,
  type Requester,
  requireRight,
} from '../../src/discord/commands/authorization.js';
import { en } from '../../src/words/en.js';

type Where = 'channel' | 'thread' | 'direct';

function asker(where: Where, ...rights: PermissionsString[]): Requester {
  const parentId = where === 'thread' ? 'discord:1' : null;
  const serverId = where === 'direct' ? null : '9';
  return {
    interaction: { memberPermissions: where === 'direct' ? null : new PermissionsBitField(rights).freeze() },
    place: {
      session: { id: 'discord:2', parentId, serverId },
      thread: where === 'thread',
    },
    words: en,
  };
}

describe('rights', () => {
  it.each<[Action, Where, PermissionsString[], string | null]>([
    ['server', 'channel', [], 'ManageGuild'],
    ['server', 'channel', ['ManageChannels', 'ManageThreads'], 'ManageGuild'],
    ['server', 'channel', ['ManageGuild'], null],
    ['channel', 'channel', ['ManageGuild', 'ManageThreads'], 'ManageChannels'],
    ['channel', 'channel', ['ManageChannels'], null],
    ['channel', 'thread', ['ManageChannels', 'ManageGuild'], 'ManageThreads'],
    ['channel', 'thread', ['ManageThreads'], null],
    ['server', 'thread', ['ManageThreads'], 'ManageGuild'],
    ['show', 'channel', ['ReadMessageHistory'], 'ViewChannel'],
    ['show', 'channel', ['ViewChannel'], 'ReadMessageHistory'],
    ['show', 'thread', ['ViewChannel', 'ReadMessageHistory'], null],
    ['server', 'channel', ['Administrator'], null],
    ['channel', 'thread', ['Administrator'], null],
    ['show', 'channel', ['Administrator'], null],
    ['server', 'direct', [], null],
    ['channel', 'direct', [], null],
    ['show', 'direct', [], null],
  ])('for %s in a %s with %j lack %s', (deed, where, rights, missing) => {
    expect(missingRight(asker(where, ...rights), deed)).toBe(missing);
  });

  it('are none where Discord has sent none', () => {
    const nobody = { ...asker('channel'), interaction: { memberPermissions: null } };
    expect(missingRight(nobody, 'show')).toBe('ViewChannel');
  });

  it('name what is missing by Discord’s own name', () => {
    expect(() => requireRight(asker('channel'), 'channel')).toThrow(/“Manage Channels”/u);
    expect(() => requireRight(asker('thread'), 'channel')).toThrow(/“Manage Threads”/u);
    expect(() => requireRight(asker('channel'), 'show')).toThrow(/“View Channel”/u);
  });

  it('point to scope:channel where that would do, and only there', () => {
    expect(() => requireRight(asker('channel', 'ManageChannels'), 'server')).toThrow(/“Manage Server”.*scope:channel/u);
    expect(() => requireRight(asker('channel'), 'server')).toThrow(/^(?!.*scope:channel).*“Manage Server”/u);
  });
});

describe('the scope of a change', () => {
  it('is the server unless something else is said', () => {
    const owner = asker('channel', 'ManageGuild', 'ManageChannels');
    expect(chooseScope(owner, undefined)).toEqual({ scope: 'server', scopeId: 'server:9' });
    expect(chooseScope(owner, 'server')).toEqual({ scope: 'server', scopeId: 'server:9' });
    expect(chooseScope(owner, 'channel')).toEqual({ scope: 'channel', scopeId: 'discord:2' });
  });

  it('is the direct message in a direct message, which has no server', () => {
    expect(chooseScope(asker('direct'), undefined)).toEqual({ scope: 'channel', scopeId: 'discord:2' });
    expect(chooseScope(asker('direct'), 'channel')).toEqual({ scope: 'channel', scopeId: 'discord:2' });
    expect(() => chooseScope(asker('direct'), 'server')).toThrow(en.refusals.noServer);
  });

  it('takes the right for it', () => {
    expect(() => chooseScope(asker('channel', 'ManageChannels'), undefined)).toThrow(/“Manage Server”/u);
    expect(() => chooseScope(asker('channel', 'ManageGuild'), 'channel')).toThrow(/“Manage Channels”/u);
  });
});
