import { AttachmentBuilder } from 'discord.js';
import { ARCHIVE_LIMITS } from '../../conversation/archive.js';
import { archiveLine } from '../../conversation/archive-lines.js';
import { archiveMarkdown } from '../../conversation/archive-markdown.js';
import { CommandError } from '../../conversation/errors.js';
import { answer } from '../answers.js';
import { download } from '../attachments.js';
import { requireRight } from '../rights.js';
import type { CommandCall } from './command.js';

/** Bytes of the two files together at most, whatever Discord would take; so much is held in memory at once. */
const FILE_BYTES = 8 * 1024 * 1024;

/** `/memory export`: the whole memory of this place as a file to import and one to read, for the asker's eyes. */
export async function exportMemory(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  requireRight(call, 'show');
  const room = Math.min(FILE_BYTES, interaction.attachmentSizeLimit);
  const files = { jsonl: '', md: '' };
  let rows = 0;
  for await (const row of door.chatbot.archives.export(place.session)) {
    files.jsonl += archiveLine(row);
    files.md += archiveMarkdown(row, words.archive);
    rows += 'type' in row && row.type === 'message' ? 1 : 0;
    if (Buffer.byteLength(files.jsonl) + Buffer.byteLength(files.md) > room) {
      return answer(interaction, words.archive.tooLarge);
    }
  }
  if (files.jsonl.indexOf('\n') === files.jsonl.length - 1) return answer(interaction, words.archive.nothing);
  const name = `keepsake-${place.session.id.replace(/\W/gu, '-')}`;
  const attach = (kind: keyof typeof files) =>
    new AttachmentBuilder(Buffer.from(files[kind]), { name: `${name}.${kind}` });
  await answer(interaction, { content: words.archive.sent(rows), files: [attach('jsonl'), attach('md')] });
}

/** `/memory import`: takes over a memory from a file, where nothing is remembered yet. */
export async function importMemory(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  requireRight(call, 'channel');
  const { archive: say } = words;
  const file = interaction.options.getAttachment('file', true);
  const bytes = file.size > ARCHIVE_LIMITS.bytes ? null : await download(file, ARCHIVE_LIMITS.bytes);
  if (bytes === null) throw new CommandError('bad-option', say.unread(ARCHIVE_LIMITS.bytes / 1_000_000));
  const receipt = await door.chatbot.archives.import(place.session, new TextDecoder().decode(bytes));
  if (receipt === null) throw new CommandError('not-allowed', say.occupied);
  const lines = [
    say.imported(receipt.messages, receipt.summaries),
    receipt.leftOut === 0 ? '' : say.leftOut(receipt.leftOut),
    say.strategyWas(`\`${receipt.strategyText}\``),
  ];
  await answer(interaction, lines.filter((line) => line !== '').join('\n'));
}
