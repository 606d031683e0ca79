import type { ArchiveHeader, ArchiveMessage, ArchiveSummary } from './archive.js';

/** What the Markdown of an archive calls things; times are texts in UTC. */
export type ArchiveLabels = {
  title: (session: string) => string;
  exported: (time: string, strategy: string) => string;
  summary: (from: string, through: string, model: string) => string;
  /** The name of the bot above its answers. */
  bot: string;
};

/** One row of an archive as Markdown to read; what was said stands in quotes, so that it cannot pose as a heading. */
export function archiveMarkdown(row: ArchiveHeader | ArchiveMessage | ArchiveSummary, labels: ArchiveLabels): string {
  if ('keepsake' in row) {
    return `# ${plain(labels.title(row.session))}\n\n${labels.exported(minute(row.exportedAt), row.strategy.name)}\n`;
  }
  if (row.type === 'summary') {
    const heading = labels.summary(minute(row.from), minute(row.through), plain(row.model));
    return `\n## ${heading}\n\n${quoted(row.text)}\n`;
  }
  const name = row.role === 'assistant' ? row.author.name || labels.bot : row.author.name;
  const { quote } = row;
  const reply = quote === undefined ? '' : `${quoted(`${quote.author.name}: ${quote.text}`)}\n\n`;
  return `\n**${plain(name)}** · ${minute(row.time)}\n\n${quoted(`${reply}${row.text}`)}\n`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function plain(name: string): string {
  return name.replace(/[\\`*_[\]<>#|~]/gu, '\\$&').replace(/\s+/gu, ' ');
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
