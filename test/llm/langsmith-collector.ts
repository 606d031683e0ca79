import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A fake LangSmith on 127.0.0.1 that records what it is sent. */
export type Collector = { url: string; received: { path: string; body: string }[]; close(): Promise<void> };

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const received: Collector['received'] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('latin1');
    received.push({ path: request.url ?? '', body });
    response.writeHead(200, { 'content-type': 'application/json' });
    const batches = { use_multipart_endpoint: true, size_limit: 100, scale_up_nthreads_limit: 16 };
    response.end(request.url?.endsWith('/info') ? JSON.stringify({ batch_ingest_config: batches }) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
