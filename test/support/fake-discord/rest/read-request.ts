import type { IncomingMessage } from 'node:http';
import { refuse } from '../api-error.js';
import { asObject } from '../json.js';
import type { Upload } from './call.js';

/** A request's body: JSON, or a form of `payload_json` and `files[n]`. */
export type ReadBody = { body: unknown; files: Upload[] };

/** Reads and parses a body. @throws {ApiError} 50109 for what is no JSON. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!type.startsWith('multipart/form-data')) return { body: parseJson(bytes.toString()), files: [] };
  return readForm(bytes, type);
}

async function readForm(bytes: Buffer, type: string): Promise<ReadBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const files: Upload[] = [];
  const fields: Record<string, unknown> = {};
  for (const [key, value] of form.entries()) {
    if (typeof value === 'string') fields[key] = key === 'payload_json' ? parseJson(value) : value;
    else {
      const index = /^files\[(\d+)\]$/.exec(key)?.[1] ?? key;
      files.push({ index, name: value.name, contentType: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
  }
  const { payload_json: payload, ...rest } = fields;
  return { body: { ...rest, ...asObject(payload) }, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('invalidJson');
  }
}
