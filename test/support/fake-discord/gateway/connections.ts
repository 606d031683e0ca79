import { WebSocketServer } from 'ws';
import type { Core } from '../core.js';
import { createPort } from '../port.js';
import { type Connection, createConnection, type GatewayBehavior } from './client.js';
import { receiveFrame } from './protocol.js';
import type { Frame } from './sessions.js';

/** The gateway's server and everybody who is connected to it. */
export type GatewayServer = {
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
