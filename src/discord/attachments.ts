import type { Attachment } from 'discord.js';
import type { PromptImage } from '../conversation/model.js';

/** How much of a text attachment is read. */
export const TEXT_BYTES = 32 * 1024;
const IMAGE_BYTES = 4 * 1024 * 1024;
const IMAGES = 4;
const FETCH_MS = 10_000;
const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|[cm]?[jt]sx?|py|rs|go|java|kt|c|h|cpp|cs|rb|php|sh|sql|log|diff|patch)$/iu;
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp)/u;

/** The neutral line that stands for a file; its link is never kept, since it expires. */
export function attachmentLine(file: Attachment): string {
  const kind = IMAGE_TYPE.test(file.contentType ?? '') ? 'image' : 'file';
  return `[${kind}: ${file.name.replace(/[\p{C}[\]]/gu, ' ')}, ${Math.ceil(file.size / 1024)} KB]`;
}

/** Whether a file is text that can be read along with its message. */
export function isTextFile(file: Attachment): boolean {
  return /^text\//u.test(file.contentType ?? '') || TEXT_NAME.test(file.name);
}

/** A text file's beginning under its line, marked where it is cut; the line alone when it cannot be read. */
export async function readTextFile(file: Attachment): Promise<string> {
  const bytes = await download(file, TEXT_BYTES);
  if (bytes === null) return attachmentLine(file);
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\uFFFD+$/u, '');
  const cut = file.size > bytes.byteLength ? '\n[… the file is cut here]' : '';
  return `${attachmentLine(file)}\n${text}${cut}`;
}

/** The pictures among files, as data that any model endpoint can take; what is too large or gone is left out. */
export async function readImages(files: Iterable<Attachment>): Promise<PromptImage[]> {
  const images = [...files].filter((file) => IMAGE_TYPE.test(file.contentType ?? '') && file.size <= IMAGE_BYTES);
  const read = await Promise.all(images.slice(0, IMAGES).map((file) => dataUrl(file)));
  return read.filter((image) => image !== null);
}

async function dataUrl(file: Attachment): Promise<PromptImage | null> {
  const bytes = await download(file, IMAGE_BYTES);
  if (bytes === null) return null;
  const type = (file.contentType ?? 'image/png').split(';')[0];
  return { url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
}

/** The first `limit` bytes of a file, or null when it cannot be had in time. */
export async function download(file: Attachment, limit: number): Promise<Uint8Array | null> {
  try {
    const response = await fetch(file.url, {
      signal: AbortSignal.timeout(FETCH_MS),
      headers: { range: `bytes=0-${limit - 1}` },
    });
    if (!response.ok || response.body === null) return null;
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body) {
      parts.push(part.subarray(0, limit - size));
      size += Math.min(part.byteLength, limit - size);
      if (size >= limit) break;
    }
    return Buffer.concat(parts);
  } catch {
    return null;
  }
}
