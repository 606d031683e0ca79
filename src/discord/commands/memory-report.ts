import { type APIEmbedField, EmbedBuilder } from 'discord.js';
import type { MemoryReport } from '../../chatbot/report.js';
import type { Words } from '../../words/en.js';
import { cut, inlineCode, plainText } from '../shared/format.js';

type Parts = MemoryReport['parts'];

/** The parts of the context in the order of the gauge, each with its colour and the square that stands for it in text. */
export const GAUGE_PARTS = [
  { part: 'persona', colour: '#aa8ed6', square: '🟪' },
  { part: 'summary', colour: '#55acee', square: '🟦' },
  { part: 'messages', colour: '#78b159', square: '🟩' },
  { part: 'answer', colour: '#f4900c', square: '🟧' },
  { part: 'safety', colour: '#fdcb58', square: '🟨' },
  { part: 'free', colour: '#e6e7e8', square: '⬜' },
] as const satisfies readonly { part: keyof Parts; colour: string; square: string }[];

const WIDTH = 960;
const HEIGHT = 48;
const THINNEST = 4;

/** The gauge as a drawing: one band a part, as wide as its share; no part that holds something is invisible. */
export function gaugeSvg(parts: Parts): string {
  const whole = Math.max(1, ...[GAUGE_PARTS.reduce((sum, { part }) => sum + parts[part], 0)]);
  const used = GAUGE_PARTS.filter(({ part }) => parts[part] > 0);
  const spare = WIDTH - used.length * THINNEST;
  let x = 0;
  const bands = used.map(({ part, colour }) => {
    const width = THINNEST + (parts[part] / whole) * spare;
    const band = `<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="${HEIGHT}" fill="${colour}"/>`;
    x += width;
    return band;
  });
  const frame = `<clipPath id="frame"><rect width="${WIDTH}" height="${HEIGHT}" rx="10"/></clipPath>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${frame}<g clip-path="url(#frame)">${bands.join('')}</g></svg>`;
}

/** The gauge as a PNG. The renderer is loaded when the first gauge is drawn, not at start. */
export async function drawGauge(parts: Parts): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  return new Resvg(gaugeSvg(parts), { font: { loadSystemFonts: false } }).render().asPng();
}

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
