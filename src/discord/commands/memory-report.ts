import { type APIEmbedField, EmbedBuilder } from 'discord.js';
import type { MemoryReport } from '../../chatbot/report.js';
import type { Words } from '../../words/en.js';
import { cut, escapeMarkup, inlineCode } from '../shared/format.js';

/** Discord's limits of an embed's field and description. */
const FIELD_LENGTH = 1_024;
const DESCRIPTION_LENGTH = 4_096;
const COLOR = 0x5865f2;

/** The file name of the attached gauge. */
export const GAUGE_FILE = 'gauge.png';

/** Renders a report as embeds: the facts around the gauge, then the summary's text. */
export function explainMemory(words: Words, report: MemoryReport, withGauge: boolean): EmbedBuilder[] {
  const { report: say } = words;
  const origin = words.origins[report.strategy.origin];
  const facts = new EmbedBuilder()
    .setTitle(say.heading)
    .setColor(COLOR)
    .addFields(
      field(say.strategy, `${inlineCode(report.strategyText)} (${origin})`),
      field(say.model, escapeMarkup(say.modelWindow(report.model, report.contextWindow))),
      field(say.context, legend(words, report)),
      field(say.stored, say.storedUnseen(report.stored, report.unseen)),
      field(say.summary, escapeMarkup(summaryLine(words, report))),
      field(say.folding, foldLine(words, report)),
      ...notes(words, report).map((note) => field(say.note, note)),
    );
  if (withGauge) facts.setImage(`attachment://${GAUGE_FILE}`);
  return report.summary === null ? [facts] : [facts, summaryText(words, report.summary.text)];
}

/** The gauge's alt text: every part with its number. */
export function gaugeAltText({ report: say }: Words, { parts, contextWindow }: MemoryReport): string {
  const numbers = GAUGE_PARTS.map(({ part }) => `${say.parts[part]} ${parts[part].toLocaleString('en-US')}`);
  return cut(`${say.gauge(contextWindow)}: ${numbers.join(', ')}`, 1_024);
}

function summaryText(words: Words, text: string): EmbedBuilder {
  const description = cut(escapeMarkup(text), DESCRIPTION_LENGTH, words.report.cut);
  return new EmbedBuilder().setTitle(words.report.summary).setColor(COLOR).setDescription(description);
}

function field(name: string, value: string): APIEmbedField {
  return { name, value: cut(value, FIELD_LENGTH) || '–', inline: false };
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

type Parts = MemoryReport['parts'];

/** The parts of the context window in the order of the gauge, each with its color and its square in text. */
export const GAUGE_PARTS = [
  { part: 'persona', color: '#aa8ed6', square: '🟪' },
  { part: 'summary', color: '#55acee', square: '🟦' },
  { part: 'messages', color: '#78b159', square: '🟩' },
  { part: 'answer', color: '#f4900c', square: '🟧' },
  { part: 'safety', color: '#fdcb58', square: '🟨' },
  { part: 'free', color: '#e6e7e8', square: '⬜' },
] as const satisfies readonly { part: keyof Parts; color: string; square: string }[];

const WIDTH = 960;
const HEIGHT = 48;
const THINNEST = 4;

/** Draws the gauge as SVG: one band a part, as wide as its share; a part that is not empty is at least 4 px wide. */
export function gaugeSvg(parts: Parts): string {
  const whole = Math.max(1, ...[GAUGE_PARTS.reduce((sum, { part }) => sum + parts[part], 0)]);
  const used = GAUGE_PARTS.filter(({ part }) => parts[part] > 0);
  const spare = WIDTH - used.length * THINNEST;
  let x = 0;
  const bands = used.map(({ part, color }) => {
    const width = THINNEST + (parts[part] / whole) * spare;
    const band = `<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="${HEIGHT}" fill="${color}"/>`;
    x += width;
    return band;
  });
  const frame = `<clipPath id="frame"><rect width="${WIDTH}" height="${HEIGHT}" rx="10"/></clipPath>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${frame}<g clip-path="url(#frame)">${bands.join('')}</g></svg>`;
}

/** Renders the gauge as PNG. The renderer is loaded with the first gauge, not at start. */
export async function drawGauge(parts: Parts): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  return new Resvg(gaugeSvg(parts), { font: { loadSystemFonts: false } }).render().asPng();
}
