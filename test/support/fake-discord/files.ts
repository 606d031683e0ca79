import type { APIAttachment } from 'discord.js';
import type { Core } from './core.js';

/** A file to be attached. `width` and `height` are read from PNGs and may be given for others. */
export type FileDraft = {
  name: string;
  bytes: Uint8Array;
  contentType?: string | undefined;
  description?: string | undefined;
  width?: number | undefined;
  height?: number | undefined;
  /** Seconds and waveform of a voice message. */
  durationSecs?: number | undefined;
};

const LINK_LIFE_MS = 24 * 3600_000;

const CONTENT_TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
  ogg: 'audio/ogg',
};

/** Keeps a file and gives its attachment, with a loopback link that expires after a day as Discord's do. */
export function storeFile(core: Core, channelId: string, file: FileDraft, ephemeral = false): APIAttachment {
  const id = core.snowflake();
  const name = file.name.replace(/\s/g, '_');
  const bytes = Buffer.from(file.bytes);
  const contentType = file.contentType || CONTENT_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''];
  core.world.files.set(id, { id, channelId, name, contentType, bytes });
  const expires = Math.floor((core.clock.now() + LINK_LIFE_MS) / 1000).toString(16);
  const url = `${core.urls.rest}/attachments/${channelId}/${id}/${encodeURIComponent(name)}?ex=${expires}&is=0&hm=0&`;
  const [width, height] = pngSize(bytes) ?? [file.width, file.height];
  return {
    id,
    filename: name,
    size: bytes.length,
    url,
    proxy_url: url,
    ...(contentType === undefined ? {} : { content_type: contentType }),
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(file.description === undefined ? {} : { description: file.description }),
    ...(file.durationSecs === undefined ? {} : { duration_secs: file.durationSecs, waveform: 'AAAA' }),
    ...(ephemeral ? { ephemeral: true } : {}),
  };
}

function pngSize(bytes: Buffer): [width: number, height: number] | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
