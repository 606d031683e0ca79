import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback HTTP server whose port can be closed and opened again. */
export type Port = {
  server: Server;
  /** The same after every `open`. */
  number(): number;
  open(): Promise<void>;
  /** Stops listening and breaks all connections. */
  close(): Promise<void>;
};

/** Creates a server for a free port of 127.0.0.1; `open` makes it listen. */
export function createPort(listener?: RequestListener): Port {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  let number = 0;
  return {
    server,
    number: () => number,
    open: () =>
      new Promise((resolve, reject) => {
        if (server.listening) return resolve();
        server.once('error', reject);
        server.listen(number, '127.0.0.1', () => {
          server.off('error', reject);
          number = (server.address() as AddressInfo).port;
          resolve();
        });
      }),
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
