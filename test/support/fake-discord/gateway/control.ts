import type { Ref } from '../clock.js';
import type { Core } from '../core.js';
import type { GatewayServer } from './connections.js';
import { sendGuild } from './guild-events.js';

/** What the gateway can be made to do at any time. */
export type GatewayControl = {
  /** Closes every connection with a close code, as Discord does. 1000 and 1001 do not end sessions by themselves. */
  close(code: number, reason?: string): void;
  /** Breaks every connection without a close frame. */
  terminate(): void;
  /** op 7: asks clients to reconnect and resume. */
  askReconnect(): void;
  /** op 9: ends the sessions, or (`resumable`) asks to resume them. */
  invalidate(resumable: boolean): void;
  /** Forgets all sessions, so that RESUME is answered by op 9. Connections stay as they are. */
  forgetSessions(): void;
  /** Whether op 1 is answered by op 11. */
  acknowledge(on: boolean): void;
  /** Sends nothing at all any more, on present and later connections, until switched off; events wait for RESUME. */
  silence(on: boolean): void;
  /** Keeps GUILD_CREATE back after READY, until `releaseGuilds`. */
  holdGuilds(): void;
  /** Sends GUILD_CREATE of all guilds, or of one, to sessions that have not had it. */
  releaseGuilds(guild?: Ref): void;
  /** Sends the next dispatch of this event `times` times as the same frame. */
  repeatNext(t: string, times?: number): void;
  /** Dispatches the last event of this name once more, with the same data and a new number. */
  resend(t: string): void;
  /** Dispatches any event to all sessions, whatever their intents: unknown ids, broken payloads. */
  send(t: string, d: unknown): void;
  /** Closes new connections with this code before HELLO; null ends it. */
  closeBeforeHello(code: number | null): void;
  /** Refuses TCP connections; present ones are cut. */
  refuse(): Promise<void>;
  /** Accepts connections again, at the same address. */
  accept(): Promise<void>;
  /** Sessions that are connected now. */
  connected(): number;
};

/** The control of a core's gateway. */
export function createGatewayControl(core: Core, connections: GatewayServer): GatewayControl {
  const { sessions } = core;
  const send = (t: string, d: unknown) => {
    for (const session of sessions.all()) sessions.dispatch(session, t, structuredClone(d));
  };
  return {
    close: (code, reason) => connections.close(code, reason ?? ''),
    terminate: () => connections.terminate(),
    askReconnect: () => connections.broadcast({ op: 7, d: null, s: null, t: null }),
    invalidate(resumable) {
      connections.broadcast({ op: 9, d: resumable, s: null, t: null });
      if (!resumable) for (const session of sessions.all()) sessions.end(session.id);
    },
    forgetSessions() {
      for (const session of sessions.all()) sessions.end(session.id);
    },
    acknowledge(on) {
      connections.behavior.acknowledges = on;
    },
    silence(on) {
      connections.behavior.silent = on;
    },
    holdGuilds() {
      connections.behavior.holdsGuilds = true;
    },
    releaseGuilds(guild) {
      if (guild === undefined) connections.behavior.holdsGuilds = false;
      const wanted = guild === undefined ? [...core.world.guilds.values()] : [core.world.guild(guild)];
      for (const session of sessions.all()) {
        for (const each of wanted) if (!session.guildIds.has(each.id)) sendGuild(core, each, session);
      }
    },
    repeatNext: (t, times = 2) => sessions.repeatNext(t, times),
    resend(t) {
      const last = core.journal.gateway({ direction: 'out', t }).at(-1);
      if (last === undefined) throw new Error(`no ${t} was sent yet`);
      send(t, last.d);
    },
    send,
    closeBeforeHello(code) {
      connections.behavior.closesWith = code;
    },
    refuse: () => connections.refuse(),
    accept: () => connections.accept(),
    connected: () => sessions.all().filter(({ link }) => link !== null).length,
  };
}
