import { type WebSocket, WebSocketServer } from 'ws';
import { sendGuild } from '../changes/events.js';
import type { Ref } from '../shared/clock.js';
import { createPort } from '../shared/port.js';
import type { Core } from '../state/core.js';
import type { Frame, Link, Session } from '../state/sessions.js';
import { receiveFrame } from './opcodes.js';

/** The gateway's server and its connections. */
type GatewayServer = {
  behavior: GatewayBehavior;
  open(): Promise<string>;
  close(code: number, reason: string): void;
  terminate(): void;
  broadcast(frame: Frame): void;
  refuse(): Promise<void>;
  accept(): Promise<void>;
};

/** Creates the gateway; `open` makes it listen and resolves with its address. */
export function createGatewayServer(core: Core): GatewayServer {
  const behavior: GatewayBehavior = { acknowledges: true, silent: false, holdsGuilds: false, closesWith: null };
  const connections = new Set<Connection>();
  const port = createPort();
  const webSockets = new WebSocketServer({ server: port.server, perMessageDeflate: false });
  webSockets.on('error', () => {});
  webSockets.on('connection', (socket) => {
    const connection = createConnection(core, socket, behavior);
    connections.add(connection);
    socket.on('error', () => {});
    socket.on('message', (data) => receiveFrame(core, connection, behavior, String(data)));
    socket.on('close', (code) => {
      connections.delete(connection);
      connection.onClose(code);
    });
    connection.hello();
  });
  const terminate = () => {
    for (const connection of [...connections]) connection.terminate();
  };
  return {
    behavior,
    async open() {
      await port.open();
      return `ws://127.0.0.1:${port.number()}`;
    },
    close(code, reason) {
      for (const connection of connections) connection.close(code, reason);
    },
    terminate,
    broadcast(frame) {
      for (const connection of connections) connection.link.send(frame, connection.session?.id ?? null);
    },
    async refuse() {
      const closed = port.close();
      terminate();
      await closed;
    },
    accept: () => port.open(),
  };
}

/** What a test can make the gateway do. */
export type GatewayControl = {
  /** Closes all connections with a close code. Sessions stay resumable, also after 1000 and 1001. */
  close(code: number, reason?: string): void;
  /** Breaks all connections without a close frame. */
  terminate(): void;
  /** op 7: asks connections to reconnect and resume. */
  askReconnect(): void;
  /** Sends op 9; sessions end unless they are `resumable`. */
  invalidate(resumable: boolean): void;
  /** Ends all sessions without op 9, so that RESUME is answered with op 9. Connections stay open. */
  forgetSessions(): void;
  /** Switches on or off that heartbeats (op 1) are acknowledged (op 11). */
  acknowledge(on: boolean): void;
  /** While on, sends nothing on any connection, new ones included. Events are kept for RESUME. */
  silence(on: boolean): void;
  /** Holds GUILD_CREATE back after READY, until `releaseGuilds`. */
  holdGuilds(): void;
  /** Sends GUILD_CREATE of all guilds, or of one, to the sessions that have not received it. */
  releaseGuilds(guild?: Ref): void;
  /** Sends the next dispatch of an event `times` times (2 by default) with the same sequence number. */
  repeatNext(t: string, times?: number): void;
  /** Dispatches the last event of this name again, with the same data and a new sequence number. */
  resend(t: string): void;
  /** Dispatches any payload to all sessions, whatever their intents: unknown ids, malformed data. */
  send(t: string, d: unknown): void;
  /** Closes new connections with this code instead of HELLO; null stops that. */
  closeBeforeHello(code: number | null): void;
  /** Closes the port and breaks all connections. */
  refuse(): Promise<void>;
  /** Listens again, at the same address. */
  accept(): Promise<void>;
  /** Counts the sessions that have a connection. */
  connected(): number;
};

/** Creates a test's controls of the gateway. */
export function createGatewayControl(core: Core, server: GatewayServer): GatewayControl {
  const { sessions } = core;
  const send = (t: string, d: unknown) => {
    for (const session of sessions.all()) sessions.dispatch(session, t, structuredClone(d));
  };
  return {
    close: (code, reason) => server.close(code, reason ?? ''),
    terminate: () => server.terminate(),
    askReconnect: () => server.broadcast({ op: 7, d: null, s: null, t: null }),
    invalidate(resumable) {
      server.broadcast({ op: 9, d: resumable, s: null, t: null });
      if (!resumable) for (const session of sessions.all()) sessions.end(session.id);
    },
    forgetSessions() {
      for (const session of sessions.all()) sessions.end(session.id);
    },
    acknowledge(on) {
      server.behavior.acknowledges = on;
    },
    silence(on) {
      server.behavior.silent = on;
    },
    holdGuilds() {
      server.behavior.holdsGuilds = true;
    },
    releaseGuilds(guild) {
      if (guild === undefined) server.behavior.holdsGuilds = false;
      const guilds = guild === undefined ? [...core.world.guilds.values()] : [core.world.guild(guild)];
      for (const session of sessions.all()) {
        for (const each of guilds) if (!session.guildIds.has(each.id)) sendGuild(core, each, session);
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
      server.behavior.closesWith = code;
    },
    refuse: () => server.refuse(),
    accept: () => server.accept(),
    connected: () => sessions.all().filter(({ link }) => link !== null).length,
  };
}

/** What a test has switched on or off for all connections; see `GatewayControl`. */
export type GatewayBehavior = {
  acknowledges: boolean;
  silent: boolean;
  holdsGuilds: boolean;
  closesWith: number | null;
};

/** A gateway connection. */
export type Connection = {
  link: Link;
  session: Session | null;
  /** Times of the frames received in the last minute. */
  receivedAt: number[];
  /** Sends HELLO, or closes the connection if the test wants that. */
  hello(): void;
  close(code: number, reason: string): void;
  /** Breaks the connection without a close frame. */
  terminate(): void;
  /** Handles the socket's end. Only a close by the bot with 1000 or 1001 ends the session. */
  onClose(code: number): void;
};

function createConnection(core: Core, socket: WebSocket, behavior: GatewayBehavior): Connection {
  const { journal } = core;
  let closedBy: 'bot' | 'discord' = 'bot';
  const link: Link = {
    send(frame, session) {
      if (behavior.silent || socket.readyState !== socket.OPEN) return;
      journal.add({ kind: 'gateway', direction: 'out', session, ...frame });
      socket.send(JSON.stringify(frame));
    },
  };
  const connection: Connection = {
    link,
    session: null,
    receivedAt: [],
    hello() {
      journal.add({ kind: 'connection', event: 'open', code: null, by: null });
      if (behavior.closesWith !== null) return connection.close(behavior.closesWith, '');
      link.send({ op: 10, d: { heartbeat_interval: core.options.heartbeatMs, _trace: [] }, s: null, t: null }, null);
    },
    close(code, reason) {
      closedBy = 'discord';
      detach(connection);
      socket.close(code, reason);
    },
    terminate() {
      closedBy = 'discord';
      detach(connection);
      socket.terminate();
    },
    onClose(code) {
      const { session } = connection;
      const isCurrent = session?.link === connection.link;
      detach(connection);
      if (isCurrent && closedBy === 'bot' && (code === 1000 || code === 1001)) core.sessions.end(session.id);
      journal.add({ kind: 'connection', event: 'close', code, by: closedBy });
    },
  };
  return connection;
}

function detach(connection: Connection): void {
  if (connection.session?.link === connection.link) connection.session.link = null;
  connection.session = null;
}
