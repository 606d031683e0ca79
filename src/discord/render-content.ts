import { type Attachment, cleanContent, type Message, MessageFlags, type MessageSnapshot } from 'discord.js';
import { attachmentLine, isTextFile, readTextFile } from './attachments.js';

/** What stands for a message that carries nothing, or nothing that the bot may read. */
export const NO_TEXT = '[no text]';

/**
 * The text that stands for a message: its words with mentions by name and the bot's own mention taken out, then one
 * neutral line for each thing that it carries beside them.
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

/** A forwarded message is somebody else's text, whose author Discord does not tell. */
function renderSnapshot(snapshot: MessageSnapshot): string {
  const files = snapshot.attachments?.map(attachmentLine) ?? [];
  return `[forwarded: ${[snapshot.content ?? '', ...files].filter((line) => line !== '').join(' ')}]`;
}

/** Whether a message carries text files, which are read along with it. */
export function hasTextFile(message: Message): boolean {
  return message.attachments.some(isTextFile);
}

/** What a message says now, as the chatbot takes an edit; with the text files that it carries. */
export async function editOf(message: Message): Promise<{ platformId: string; authorId: string; text: string }> {
  return { platformId: message.id, authorId: message.author.id, text: await fullText(message) };
}

/** The text that stands for a message, with the text files that it carries. */
async function fullText(message: Message): Promise<string> {
  const files = [...message.attachments.filter(isTextFile).values()];
  const texts = new Map(await Promise.all(files.map(async (file) => [file.id, await readTextFile(file)] as const)));
  return renderContent(message, (file) => texts.get(file.id) ?? attachmentLine(file));
}
