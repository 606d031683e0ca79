import { type APIEmbedField, EmbedBuilder } from 'discord.js';
import type { MemoryReport } from '../chatbot/report.js';
import type { Words } from '../words/en.js';
import { GAUGE_PARTS } from './gauge.js';
import { cut, inlineCode, plainText } from './plain-text.js';

const FIELD = 1_024;
const DESCRIPTION = 4_096;
const COLOUR = 0x5865f2;

/** The name under which the gauge is attached. */
export const GAUGE_FILE = 'gauge.png';

/** What the next request would carry, and why, as embeds: the facts around the gauge, then the summary's text. */
export function explainMemory(words: Words, report: MemoryReport, withGauge: boolean): EmbedBuilder[] {
  const { report: say } = words;
  const origin = words.origins[report.strategy.origin];
  const facts = new EmbedBuilder()
    .setTitle(say.heading)
    .setColor(COLOUR)
    .addFields(
      field(say.strategy, `${inlineCode(report.strategyText)} (${origin})`),
      field(say.model, plainText(say.modelWindow(report.model, report.contextWindow))),
      field(say.context, legend(words, report)),
      field(say.stored, say.storedUnseen(report.stored, report.unseen)),
      field(say.summary, plainText(summaryLine(words, report))),
      field(say.folding, foldLine(words, report)),
      ...notes(words, report).map((note) => field(say.note, note)),
    );
  if (withGauge) facts.setImage(`attachment://${GAUGE_FILE}`);
  return report.summary === null ? [facts] : [facts, summaryText(words, report.summary.text)];
}

/** The gauge in words, for who cannot see it: every part with its number. */
export function gaugeAltText({ report: say }: Words, { parts, contextWindow }: MemoryReport): string {
  const numbers = GAUGE_PARTS.map(({ part }) => `${say.parts[part]} ${parts[part].toLocaleString('en-US')}`);
  return cut(`${say.gauge(contextWindow)}: ${numbers.join(', ')}`, 1_024);
}

function summaryText(words: Words, text: string): EmbedBuilder {
  const description = cut(plainText(text), DESCRIPTION, words.report.cut);
  return new EmbedBuilder().setTitle(words.report.summary).setColor(COLOUR).setDescription(description);
}

function field(name: string, value: string): APIEmbedField {
  return { name, value: cut(value, FIELD) || '–', inline: false };
}

function legend({ report: say }: Words, { parts, sent }: MemoryReport): string {
  return GAUGE_PARTS.map(({ part, square }) => {
    const extra = part === 'messages' ? ` (${say.messagesSent(sent)})` : '';
    return `${square} ${say.parts[part]} ${parts[part].toLocaleString('en-US')}${extra}`;
  }).join('\n');
}

function summaryLine({ report: say }: Words, { summary, strategy }: MemoryReport): string {
  if (summary !== null) return say.covers(summary.fromAt, summary.throughAt, summary.model);
  return strategy.value.name.startsWith('summary') ? say.noSummary : say.notSent;
}

function foldLine(words: Words, { fold }: MemoryReport): string {
  const retry = fold.retryAt === null ? '' : `; ${words.fold.retryAt(fold.retryAt, fold.failures)}`;
  return `${words.fold[fold.status]}${retry}${fold.error === null ? '' : `\n${words.errors[fold.error]}`}`;
}

function notes({ report: say }: Words, report: MemoryReport): string[] {
  return [
    report.settings.listen.value === 'all' && say.listeningToAll,
    report.rebuilding && say.rebuilding,
    report.limitedBy === 'budget' && say.limitedByBudget,
    report.cutByRetention && say.cutByRetention(report.retentionDays),
  ].filter((note) => note !== false);
}
