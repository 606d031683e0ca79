import { type WebSocket, WebSocketServer } from 'ws';
import { sendGuild } from '../changes/events.js';
import type { Ref } from '../shared/clock.js';
import { createPort } from '../shared/port.js';
import type { Core } from '../state/core.js';
import type { Frame, Link, Session } from '../state/sessions.js';
import { receiveFrame } from './opcodes.js';

/** The gateway's server and everybody who is connected to it. */
type GatewayServer = {
  behavior: GatewayBehavior;
  open(): Promise<string>;
  close(code: number, reason: string): void;
  terminate(): void;
  broadcast(frame: Frame): void;
  refuse(): Promise<void>;
  accept(): Promise<void>;
};

/** A gateway that is not yet open. */
export function createGatewayServer(core: Core): GatewayServer {
  const mood: GatewayBehavior = { acknowledges: true, silent: false, holdsGuilds: false, closesWith: null };
  const clients = new Set<Connection>();
  const port = createPort();
  const webSockets = new WebSocketServer({ server: port.server, perMessageDeflate: false });
  webSockets.on('error', () => {});
  webSockets.on('connection', (socket) => {
    const client = createConnection(core, socket, mood);
    clients.add(client);
    socket.on('error', () => {});
    socket.on('message', (data) => receiveFrame(core, client, mood, String(data)));
    socket.on('close', (code) => {
      clients.delete(client);
      client.closed(code);
    });
    client.greet();
  });
  const terminate = () => {
    for (const client of [...clients]) client.cut();
  };
  return {
    behavior: mood,
    async open() {
      await port.open();
      return `ws://127.0.0.1:${port.number()}`;
    },
    close(code, reason) {
      for (const client of clients) client.close(code, reason);
    },
    terminate,
    broadcast(frame) {
      for (const client of clients) client.link.send(frame, client.session?.id ?? null);
    },
    async refuse() {
      const closed = port.close();
      terminate();
      await closed;
    },
    accept: () => port.open(),
  };
}

/** What all connections do at the moment. */
export type GatewayBehavior = {
  acknowledges: boolean;
  silent: boolean;
  holdsGuilds: boolean;
  closesWith: number | null;
};

/** One connection. */
export type Connection = {
  link: Link;
  session: Session | null;
  /** When the last frames came, for the limit of 120 a minute. */
  received: number[];
  greet(): void;
  close(code: number, reason: string): void;
  /** Breaks the connection without a close frame. */
  cut(): void;
  closed(code: number): void;
};

/** The state of a fresh connection. */
function createConnection(core: Core, socket: WebSocket, mood: GatewayBehavior): Connection {
  const { journal } = core;
  let closedBy: 'bot' | 'discord' = 'bot';
  const link: Link = {
    send(frame, session) {
      if (mood.silent || socket.readyState !== socket.OPEN) return;
      journal.add({ kind: 'gateway', direction: 'out', session, ...frame });
      socket.send(JSON.stringify(frame));
    },
  };
  const client: Connection = {
    link,
    session: null,
    received: [],
    greet() {
      journal.add({ kind: 'connection', event: 'open', code: null, by: null });
      if (mood.closesWith !== null) return client.close(mood.closesWith, '');
      link.send({ op: 10, d: { heartbeat_interval: core.options.heartbeatMs, _trace: [] }, s: null, t: null }, null);
    },
    close(code, reason) {
      closedBy = 'discord';
      detach(client);
      socket.close(code, reason);
    },
    cut() {
      closedBy = 'discord';
      detach(client);
      socket.terminate();
    },
    closed(code) {
      const { session } = client;
      const current = session?.link === client.link;
      detach(client);
      if (current && closedBy === 'bot' && (code === 1000 || code === 1001)) core.sessions.end(session.id);
      journal.add({ kind: 'connection', event: 'close', code, by: closedBy });
    },
  };
  return client;
}

function detach(client: Connection): void {
  if (client.session?.link === client.link) client.session.link = null;
  client.session = null;
}

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
