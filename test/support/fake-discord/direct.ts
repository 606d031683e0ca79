import { CHANNEL } from './constants.js';
import type { Core } from './core.js';
import type { FakeChannel, FakeUser } from './entities.js';

/** The direct message channel between the bot and a user; made when it is first asked for. */
export function openDm(core: Core, user: FakeUser): FakeChannel {
  const known = [...core.world.channels.values()].find(({ recipientId }) => recipientId === user.id);
  if (known !== undefined) return known;
  const channel: FakeChannel = {
    id: core.snowflake(),
    type: CHANNEL.dm,
    name: '',
    topic: null,
    guildId: null,
    parentId: null,
    recipientId: user.id,
    position: 0,
    overwrites: [],
    thread: null,
  };
  core.world.channels.set(channel.id, channel);
  return channel;
}
