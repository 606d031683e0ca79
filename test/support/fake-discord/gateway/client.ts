import type { WebSocket } from 'ws';
import type { Core } from '../core.js';
import type { Link, Session } from './sessions.js';

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
export function createConnection(core: Core, socket: WebSocket, mood: GatewayBehavior): Connection {
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
