import { INTENT } from '../constants.js';
import type { Core } from '../core.js';
import type { FakeChannel } from '../entities.js';
import { allows } from '../permissions.js';
import { type Session, shardOf } from './sessions.js';

/** Something to tell the bot. */
export type GatewayEvent = {
  t: string;
  /** Null for direct messages and whatever belongs to no guild. */
  guildId: string | null;
  /** The bot must see this channel. */
  channel?: FakeChannel;
  /** Any one of these intents lets it through; 0 needs none. */
  intents: number;
  /** What the session is told; undefined tells it nothing. */
  d(session: Session): unknown;
};

/** Sends an event to every session that should have it: by shard, guild, intent and the bot's view of the channel. */
export function publish(core: Core, event: GatewayEvent): void {
  for (const session of core.sessions.all()) {
    if (!reaches(core, event, session)) continue;
    const data = event.d(session);
    if (data !== undefined) core.sessions.dispatch(session, event.t, structuredClone(data));
  }
}

function reaches(core: Core, { t, guildId, channel, intents }: GatewayEvent, session: Session): boolean {
  const [shard, count] = session.shard;
  if (intents !== 0 && (session.intents & intents) === 0) return false;
  if (guildId === null) return shard === 0;
  if (shardOf(guildId, count) !== shard) return false;
  if (t === 'GUILD_CREATE' || t === 'GUILD_DELETE' || t === 'INTERACTION_CREATE') return true;
  const guild = core.world.guilds.get(guildId);
  if (guild === undefined || !guild.joined || !guild.available) return false;
  if ((session.intents & INTENT.guilds) !== 0 && !session.guildIds.has(guildId)) return false;
  return channel === undefined || allows(core.world.permissionsIn(channel, core.world.bot.id), 'ViewChannel');
}
