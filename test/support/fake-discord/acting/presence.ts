import type { Ref } from '../clock.js';
import type { Core } from '../core.js';
import type { FakeGuild } from '../entities.js';
import { guildCreated, guildDeleted } from '../gateway/guild-events.js';

/** The bot's presence in guilds, and outages of them. */
export type PresenceActions = {
  /** The bot is thrown out. */
  removeGuild(guild: Ref): void;
  /** The bot is invited again. */
  rejoinGuild(guild: Ref): void;
  /** An outage: GUILD_DELETE with `unavailable`. */
  guildUnavailable(guild: Ref): void;
  /** The outage is over: GUILD_CREATE. */
  guildBack(guild: Ref): void;
};

/** The acts on whether a core's bot is in its guilds. */
export function createPresenceActions(core: Core): PresenceActions {
  const change = (state: Partial<FakeGuild>, tell: (guild: FakeGuild) => void) => (ref: Ref) => {
    const guild = Object.assign(core.world.guild(ref), state);
    tell(guild);
    core.journal.changed();
  };
  return {
    removeGuild: change({ joined: false }, (guild) => guildDeleted(core, guild, false)),
    rejoinGuild: change({ joined: true }, (guild) => guildCreated(core, guild)),
    guildUnavailable: change({ available: false }, (guild) => guildDeleted(core, guild, true)),
    guildBack: change({ available: true }, (guild) => guildCreated(core, guild)),
  };
}
