import { type Attachment, cleanContent, type Message, MessageFlags, type MessageSnapshot } from 'discord.js';
import type { PromptImage } from '../../conversation/model.js';

/** How much of a text attachment is read. */
const TEXT_BYTES = 32 * 1024;
const IMAGE_BYTES = 4 * 1024 * 1024;
const MAX_IMAGES = 4;
const TIMEOUT_MS = 10_000;
const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|[cm]?[jt]sx?|py|rs|go|java|kt|c|h|cpp|cs|rb|php|sh|sql|log|diff|patch)$/iu;
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp)/u;

/** The neutral line that stands for a file; its link is not stored, since it expires. */
function attachmentLine(file: Attachment): string {
  const kind = IMAGE_TYPE.test(file.contentType ?? '') ? 'image' : 'file';
  return `[${kind}: ${file.name.replace(/[\p{C}[\]]/gu, ' ')}, ${Math.ceil(file.size / 1024)} KB]`;
}

/** Whether a file is text, which is stored with its message. */
function isTextFile(file: Attachment): boolean {
  return /^text\//u.test(file.contentType ?? '') || TEXT_NAME.test(file.name);
}

/** The beginning of a text file under its line, marked where it is cut; the line alone when the download fails. */
async function readTextFile(file: Attachment): Promise<string> {
  const bytes = await download(file, TEXT_BYTES);
  if (bytes === null) return attachmentLine(file);
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\uFFFD+$/u, '');
  const cut = file.size > bytes.byteLength ? '\n[… the file is cut here]' : '';
  return `${attachmentLine(file)}\n${text}${cut}`;
}

/** Downloads the pictures among files as data URLs, which any model endpoint can take; too large or missing ones are left out. */
export async function readImages(files: Iterable<Attachment>): Promise<PromptImage[]> {
  const images = [...files].filter((file) => IMAGE_TYPE.test(file.contentType ?? '') && file.size <= IMAGE_BYTES);
  const read = await Promise.all(images.slice(0, MAX_IMAGES).map((file) => dataUrl(file)));
  return read.filter((image) => image !== null);
}

async function dataUrl(file: Attachment): Promise<PromptImage | null> {
  const bytes = await download(file, IMAGE_BYTES);
  if (bytes === null) return null;
  const type = (file.contentType ?? 'image/png').split(';')[0];
  return { url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
}

/** Downloads the first `limit` bytes of a file; null when that fails or takes longer than 10 s. */
export async function download(file: Attachment, limit: number): Promise<Uint8Array | null> {
  try {
    const response = await fetch(file.url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
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

/** The text of a message that carries nothing, or nothing that the bot may read. */
export const NO_TEXT = '[no text]';

/**
 * Renders a message as text: its content with mentions by name and the bot's own mention removed, then one neutral line
 * for each thing that it carries beside that.
 */
export function renderContent(message: Message, describe: (file: Attachment) => string = attachmentLine): string {
  const me = message.client.user.id;
  const words = message.content.replace(new RegExp(`<@!?${me}>`, 'gu'), '').trim();
  const voice = message.flags.has(MessageFlags.IsVoiceMessage);
  const lines = [
    cleanContent(words, message.channel),
    ...message.messageSnapshots.map(renderSnapshot),
    ...message.attachments.map((file) => (voice ? '[voice message]' : describe(file))),
    ...message.stickers.map((sticker) => `[sticker: ${sticker.name}]`),
    ...message.embeds
      .filter((embed) => embed.data.type === 'rich')
      .map((embed) => `[embed: ${embed.title ?? embed.description ?? ''}]`),
    ...(message.poll === null ? [] : [`[poll: ${message.poll.question.text ?? ''}]`]),
  ].filter((line) => line !== '');
  return lines.length === 0 ? NO_TEXT : lines.join('\n');
}

/** Discord does not tell the author of a forwarded message. */
function renderSnapshot(snapshot: MessageSnapshot): string {
  const files = snapshot.attachments?.map(attachmentLine) ?? [];
  return `[forwarded: ${[snapshot.content ?? '', ...files].filter((line) => line !== '').join(' ')}]`;
}

/** Whether a message carries text files, which are stored with it. */
export function hasTextFile(message: Message): boolean {
  return message.attachments.some(isTextFile);
}

/** Renders a message as an edit for the chatbot, with the text files that it carries. */
export async function editOf(message: Message): Promise<{ platformId: string; authorId: string; text: string }> {
  return { platformId: message.id, authorId: message.author.id, text: await fullText(message) };
}

async function fullText(message: Message): Promise<string> {
  const files = [...message.attachments.filter(isTextFile).values()];
  const texts = new Map(await Promise.all(files.map(async (file) => [file.id, await readTextFile(file)] as const)));
  return renderContent(message, (file) => texts.get(file.id) ?? attachmentLine(file));
}
