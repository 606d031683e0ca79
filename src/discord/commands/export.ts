import { AttachmentBuilder, MessageFlags } from 'discord.js';
import type { Message } from '../../conversation/message.js';
import { ownScope } from '../../conversation/session.js';
import { answer, NO_PINGS } from '../answers.js';
import { channelIdOf } from '../session.js';
import type { ButtonCall } from './command.js';

/** Bytes of one file at most, whatever Discord would take; so much is held in memory at once. */
const FILE_BYTES = 8 * 1024 * 1024;

/** Sends all that is stored of what somebody said, as JSON Lines, to them alone; what is too large comes in several files. */
export async function sendExport({ door, interaction, place, words }: ButtonCall): Promise<void> {
  const most = Math.min(FILE_BYTES, interaction.attachmentSizeLimit);
  const flags = MessageFlags.Ephemeral;
  let count = 0;
  let number = 0;
  for await (const lines of filesOf(
    door.chatbot.people.exportPerson(ownScope(place.session), interaction.user.id),
    most,
  )) {
    count += lines.length;
    number += 1;
    const name = `keepsake-export-${number}.jsonl`;
    const file = new AttachmentBuilder(Buffer.from(lines.join('')), { name });
    await interaction.followUp({ files: [file], flags, allowedMentions: NO_PINGS });
  }
  await answer(interaction, count === 0 ? words.privacy.nothingStored : words.privacy.exported(count));
}

/** Groups messages into files, as lines, each file within a number of bytes. */
async function* filesOf(messages: AsyncIterable<Message>, most: number): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const message of messages) {
    const line = exportLine(message);
    const size = Buffer.byteLength(line);
    if (bytes + size > most && lines.length > 0) {
      yield lines;
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield lines;
}

/** One message as a line of JSON; of a quoted message, which somebody else wrote, only the id. */
function exportLine({ sessionId, platformId, createdAt, authorName, text, quote }: Message): string {
  const line = {
    channel: channelIdOf(sessionId) ?? sessionId,
    message: platformId,
    time: new Date(createdAt).toISOString(),
    name: authorName,
    text,
    ...(quote !== null && { repliesTo: quote.platformId }),
  };
  return `${JSON.stringify(line)}\n`;
}
