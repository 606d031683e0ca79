import { sendGuild } from '../changes/events.js';
import { GATEWAY_LIMITED_FLAG, INTENT, type PrivilegedIntent } from '../shared/constants.js';
import { asNumber, asObject, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { applicationFlags, userJson } from '../state/discord-objects.js';
import { type Session, shardOf } from '../state/sessions.js';
import type { Connection, GatewayBehavior } from './server.js';

const FRAMES_PER_MINUTE = 120;
const MAX_FRAME_BYTES = 4096;
/** Presence, voice state and request for members: accepted, without any effect. */
const IGNORED_OPCODES = [3, 4, 8];

/** Handles a frame from the bot, by the documented opcodes and close codes. */
export function receiveFrame(core: Core, connection: Connection, behavior: GatewayBehavior, text: string): void {
  const frame = Buffer.byteLength(text) > MAX_FRAME_BYTES ? undefined : parseFrame(text);
  if (frame === undefined) {
    connection.close(4002, 'Error while decoding payload.');
    return;
  }
  const op = asNumber(frame.op) ?? -1;
  const session = connection.session?.id ?? null;
  core.journal.add({ kind: 'gateway', direction: 'in', session, op, t: null, s: null, d: frame.d ?? null });
  const now = Date.now();
  connection.receivedAt = [...connection.receivedAt.filter((at) => now - at < 60_000), now];
  if (connection.receivedAt.length > FRAMES_PER_MINUTE) connection.close(4008, 'You are being rate limited.');
  else handleOpcode(core, connection, behavior, op, asObject(frame.d));
}

function handleOpcode(core: Core, connection: Connection, behavior: GatewayBehavior, op: number, d: Json): void {
  if (op === 1) {
    if (behavior.acknowledges)
      connection.link.send({ op: 11, d: null, s: null, t: null }, connection.session?.id ?? null);
  } else if (op === 2) identify(core, connection, behavior, d);
  else if (op === 6) resume(core, connection, d);
  else if (connection.session === null) connection.close(4003, 'Not authenticated.');
  else if (!IGNORED_OPCODES.includes(op)) connection.close(4001, 'Unknown opcode.');
}

function parseFrame(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const PRIVILEGED_INTENTS = Object.keys(GATEWAY_LIMITED_FLAG) as PrivilegedIntent[];
/** The first bit above the highest documented intent. */
const UNKNOWN_INTENT = 1 << 26;

type CloseFrame = { code: number; reason: string };

/** Handles op 2: opens a session with READY and the guilds, or closes with 4004, 4005, 4010, 4013 or 4014. */
function identify(core: Core, connection: Connection, behavior: GatewayBehavior, d: Json): void {
  const intents = asNumber(d.intents) ?? -1;
  const [shard = 0, count = 1] = Array.isArray(d.shard) ? d.shard.map(Number) : [];
  const error = authenticationError(core, connection, d) ?? identifyError(core, intents, shard, count);
  if (error !== undefined) {
    connection.close(error.code, error.reason);
    return;
  }
  core.sessionStartLimit.remaining = Math.max(0, core.sessionStartLimit.remaining - 1);
  connection.session = core.sessions.open(intents, [shard, count], connection.link);
  core.sessions.dispatch(connection.session, 'READY', readyJson(core, connection.session));
  sendGuilds(core, connection.session, behavior);
}

function authenticationError(core: Core, connection: Connection, d: Json): CloseFrame | undefined {
  if (connection.session !== null) return { code: 4005, reason: 'Already authenticated.' };
  return d.token === core.options.token ? undefined : { code: 4004, reason: 'Authentication failed.' };
}

function identifyError(core: Core, intents: number, shard: number, count: number): CloseFrame | undefined {
  if (intents < 0 || intents >= UNKNOWN_INTENT) return { code: 4013, reason: 'Invalid intent(s).' };
  const disallowed = PRIVILEGED_INTENTS.some(
    (name) => (intents & INTENT[name]) !== 0 && !core.world.grantedIntents.has(name),
  );
  if (disallowed) return { code: 4014, reason: 'Disallowed intent(s).' };
  return shard < count ? undefined : { code: 4010, reason: 'Invalid shard.' };
}

function sendGuilds(core: Core, session: Session, behavior: GatewayBehavior): void {
  const send = () => {
    if (behavior.holdsGuilds) return;
    for (const guild of core.world.guilds.values())
      if (!session.guildIds.has(guild.id)) sendGuild(core, guild, session);
  };
  if (core.options.guildDelayMs === 0) send();
  else setTimeout(send, core.options.guildDelayMs).unref();
}

function readyJson(core: Core, session: Session) {
  const { world } = core;
  const guilds = [...world.guilds.values()].filter(({ id, joined }) => {
    return joined && shardOf(id, session.shard[1]) === session.shard[0];
  });
  return {
    v: 10,
    user: { ...userJson(world.bot), verified: true, mfa_enabled: false, email: null },
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    session_type: 'normal',
    resume_gateway_url: core.urls.gateway,
    shard: session.shard,
    application: { id: world.applicationId, flags: applicationFlags(core) },
    private_channels: [],
    relationships: [],
    presences: [],
    user_settings: {},
    geo_ordered_rtc_regions: [],
    _trace: [],
  };
}

/**
 * Handles op 6: replays missed dispatches, then RESUMED; op 9 if the session is unknown or its frames no longer kept.
 */
function resume(core: Core, connection: Connection, d: Json): void {
  const session = core.sessions.find(String(d.session_id));
  const seq = asNumber(d.seq) ?? 0;
  const invalidSeq = session !== undefined && seq > session.seq ? { code: 4007, reason: 'Invalid seq.' } : undefined;
  const error = authenticationError(core, connection, d) ?? invalidSeq;
  if (error !== undefined) {
    connection.close(error.code, error.reason);
    return;
  }
  if (session !== undefined) {
    session.link = connection.link;
    connection.session = session;
    if (core.sessions.replay(session, seq)) {
      core.sessions.dispatch(session, 'RESUMED', { _trace: [] });
      return;
    }
    core.sessions.end(session.id);
    connection.session = null;
  }
  connection.link.send({ op: 9, d: false, s: null, t: null }, null);
}
