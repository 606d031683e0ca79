import type { Core } from '../core.js';
import { asNumber, asObject, type Json } from '../json.js';
import type { Connection, GatewayBehavior } from './client.js';
import { identify, resume } from './identify.js';

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
