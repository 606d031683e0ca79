import type { Call, RestResponse, Route } from './call.js';

/** Files by their signed links, on the REST server's own address. */
export const CDN_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/attachments/:channel/:file/:name', handle: download, open: true },
];

function download({ core, params, query }: Call): RestResponse {
  const file = core.world.files.get(params.file ?? '');
  const expires = Number.parseInt(query.ex ?? '0', 16) * 1000;
  if (file === undefined || file.name !== params.name || expires < core.clock.now()) {
    return { status: 404, bytes: 'This content is no longer available.', headers: { 'content-type': 'text/plain' } };
  }
  return {
    status: 200,
    bytes: file.bytes,
    headers: { 'content-type': file.contentType ?? 'application/octet-stream' },
  };
}
