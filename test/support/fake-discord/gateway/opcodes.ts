import { sendGuild } from '../changes/events.js';
import { GATEWAY_LIMITED_FLAG, INTENT, type PrivilegedIntent } from '../shared/constants.js';
import { asNumber, asObject, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { applicationFlags, userJson } from '../state/discord-objects.js';
import { type Session, shardOf } from '../state/sessions.js';
import type { Connection, GatewayBehavior } from './server.js';

const FRAMES_PER_MINUTE = 120;

const MAX_FRAME_BYTES = 4096;

/** Presence, voice state, request for members: taken, and nothing follows. */
const IGNORED_OPCODES = [3, 4, 8];

/** Handles one frame from the bot, by the documented opcodes and close codes. */
export function receiveFrame(core: Core, client: Connection, mood: GatewayBehavior, text: string): void {
  const frame = Buffer.byteLength(text) > MAX_FRAME_BYTES ? undefined : parseFrame(text);
  if (frame === undefined) {
    client.close(4002, 'Error while decoding payload.');
    return;
  }
  const op = asNumber(frame.op) ?? -1;
  const session = client.session?.id ?? null;
  core.journal.add({ kind: 'gateway', direction: 'in', session, op, t: null, s: null, d: frame.d ?? null });
  const now = Date.now();
  client.received = [...client.received.filter((at) => now - at < 60_000), now];
  if (client.received.length > FRAMES_PER_MINUTE) client.close(4008, 'You are being rate limited.');
  else handleOpcode(core, client, mood, op, asObject(frame.d));
}

function handleOpcode(core: Core, client: Connection, mood: GatewayBehavior, op: number, d: Json): void {
  if (op === 1) {
    if (mood.acknowledges) client.link.send({ op: 11, d: null, s: null, t: null }, client.session?.id ?? null);
  } else if (op === 2) identify(core, client, mood, d);
  else if (op === 6) resume(core, client, d);
  else if (client.session === null) client.close(4003, 'Not authenticated.');
  else if (!IGNORED_OPCODES.includes(op)) client.close(4001, 'Unknown opcode.');
}

function parseFrame(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const PRIVILEGED = Object.keys(GATEWAY_LIMITED_FLAG) as PrivilegedIntent[];

const HIGHEST_INTENT = 1 << 25;

type CloseFrame = { code: number; reason: string };

/** op 2: opens a session with READY and the guilds, or closes with 4004, 4005, 4010, 4013 or 4014. */
function identify(core: Core, client: Connection, mood: GatewayBehavior, d: Json): void {
  const intents = asNumber(d.intents) ?? -1;
  const [shard = 0, count = 1] = Array.isArray(d.shard) ? d.shard.map(Number) : [];
  const closing = authenticationError(core, client, d) ?? identifyError(core, intents, shard, count);
  if (closing !== undefined) {
    client.close(closing.code, closing.reason);
    return;
  }
  core.sessionStartLimit.remaining = Math.max(0, core.sessionStartLimit.remaining - 1);
  client.session = core.sessions.open(intents, [shard, count], client.link);
  core.sessions.dispatch(client.session, 'READY', readyJson(core, client.session));
  sendGuilds(core, client.session, mood);
}

function authenticationError(core: Core, client: Connection, d: Json): CloseFrame | undefined {
  if (client.session !== null) return { code: 4005, reason: 'Already authenticated.' };
  return d.token === core.options.token ? undefined : { code: 4004, reason: 'Authentication failed.' };
}

function identifyError(core: Core, intents: number, shard: number, count: number): CloseFrame | undefined {
  if (intents < 0 || intents >= HIGHEST_INTENT * 2) return { code: 4013, reason: 'Invalid intent(s).' };
  const refused = PRIVILEGED.some((name) => (intents & INTENT[name]) !== 0 && !core.world.grantedIntents.has(name));
  if (refused) return { code: 4014, reason: 'Disallowed intent(s).' };
  return shard < count ? undefined : { code: 4010, reason: 'Invalid shard.' };
}

function sendGuilds(core: Core, session: Session, mood: GatewayBehavior): void {
  const send = () => {
    if (mood.holdsGuilds) return;
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

/** op 6: replays what was missed and ends with RESUMED; op 9 when the session is unknown or too far behind. */
function resume(core: Core, client: Connection, d: Json): void {
  const session = core.sessions.find(String(d.session_id));
  const seq = asNumber(d.seq) ?? 0;
  const ahead = session !== undefined && seq > session.seq ? { code: 4007, reason: 'Invalid seq.' } : undefined;
  const closing = authenticationError(core, client, d) ?? ahead;
  if (closing !== undefined) {
    client.close(closing.code, closing.reason);
    return;
  }
  if (session !== undefined) {
    session.link = client.link;
    client.session = session;
    if (core.sessions.replay(session, seq)) {
      core.sessions.dispatch(session, 'RESUMED', { _trace: [] });
      return;
    }
    core.sessions.end(session.id);
    client.session = null;
  }
  client.link.send({ op: 9, d: false, s: null, t: null }, null);
}
