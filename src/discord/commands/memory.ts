import { AttachmentBuilder } from 'discord.js';
import type { Chatbot } from '../../chatbot/chatbot.js';
import type { MemoryReport } from '../../chatbot/report.js';
import { ARCHIVE_LIMITS, archiveLine, archiveMarkdown } from '../../conversation/archive.js';
import { CommandError } from '../../conversation/errors.js';
import type { Words } from '../../words/en.js';
import { download } from '../shared/content.js';
import type { BotContext } from '../shared/context.js';
import { inlineCode } from '../shared/format.js';
import { editDeferredReply, MAX_ATTACHMENT_BYTES } from '../shared/respond.js';
import { chooseScope, requireRight } from './authorization.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';
import { askToForget } from './memory-forget.js';
import { drawGauge, explainMemory, GAUGE_FILE, gaugeAltText } from './memory-report.js';

/** `/memory`: strategy, report, fold, forget, export and import. A new strategy is shown to the channel. */
export const memory: SlashCommand = {
  data: buildCommand('memory'),
  firstReply: (name) => (name.startsWith('memory strategy ') ? 'public' : 'private'),
  execute,
};

function execute(call: CommandCall): Promise<void> {
  if (call.name === 'memory show') return showMemory(call);
  if (call.name === 'memory summarize') return summarize(call);
  if (call.name === 'memory export') return exportMemory(call);
  if (call.name === 'memory import') return importMemory(call);
  return call.name === 'memory forget' ? askToForget(call) : changeStrategy(call);
}

/** `/memory export`: sends the session's memory as a file to import and one to read, to the asker alone. */
async function exportMemory(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'show');
  const maxBytes = Math.min(MAX_ATTACHMENT_BYTES, interaction.attachmentSizeLimit);
  const files = { jsonl: '', md: '' };
  let rows = 0;
  for await (const row of ctx.chatbot.archives.export(place.session)) {
    files.jsonl += archiveLine(row);
    files.md += archiveMarkdown(row, words.archive);
    rows += 'type' in row && row.type === 'message' ? 1 : 0;
    if (Buffer.byteLength(files.jsonl) + Buffer.byteLength(files.md) > maxBytes) {
      return editDeferredReply(interaction, words.archive.tooLarge);
    }
  }
  if (files.jsonl.indexOf('\n') === files.jsonl.length - 1)
    return editDeferredReply(interaction, words.archive.nothing);
  const name = `keepsake-${place.session.id.replace(/\W/gu, '-')}`;
  const attach = (kind: keyof typeof files) =>
    new AttachmentBuilder(Buffer.from(files[kind]), { name: `${name}.${kind}` });
  await editDeferredReply(interaction, { content: words.archive.sent(rows), files: [attach('jsonl'), attach('md')] });
}

/** `/memory import`: stores a memory from a file in a session that remembers nothing. */
async function importMemory(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'channel');
  const { archive: sentences } = words;
  const file = interaction.options.getAttachment('file', true);
  const bytes = file.size > ARCHIVE_LIMITS.bytes ? null : await download(file, ARCHIVE_LIMITS.bytes);
  if (bytes === null) throw new CommandError('bad-option', sentences.unread(ARCHIVE_LIMITS.bytes / 1_000_000));
  const receipt = await ctx.chatbot.archives.import(place.session, new TextDecoder().decode(bytes));
  if (receipt === null) throw new CommandError('not-allowed', sentences.occupied);
  const lines = [
    sentences.imported(receipt.messages, receipt.summaries),
    receipt.leftOut === 0 ? '' : sentences.leftOut(receipt.leftOut),
    sentences.strategyWas(`\`${receipt.strategyText}\``),
  ];
  await editDeferredReply(interaction, lines.filter((line) => line !== '').join('\n'));
}

/** `/memory show`: reports what the next request would carry, to the asker alone. */
async function showMemory(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'show');
  const report = await ctx.chatbot.report(place.session);
  const gauge = await gaugeOf(ctx, report);
  const description = gaugeAltText(words, report);
  const files = gauge === null ? [] : [new AttachmentBuilder(gauge, { name: GAUGE_FILE, description })];
  await editDeferredReply(interaction, { embeds: explainMemory(words, report, gauge !== null), files });
}

/** Null where it cannot be drawn; the numbers are in the text as well. */
async function gaugeOf(ctx: BotContext, report: MemoryReport): Promise<Buffer | null> {
  try {
    return await drawGauge(report.parts);
  } catch (error) {
    ctx.logger.warn({ error }, 'failed to draw the gauge');
    return null;
  }
}

type StrategyArgument = Parameters<Chatbot['setStrategy']>[2];
type Change = Awaited<ReturnType<Chatbot['setStrategy']>>;

/** `/memory strategy …`: sets a scope's strategy, and shows the channel what that changes here. */
async function changeStrategy(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words, name } = call;
  const { scope, ...given } = call.options;
  const { scopeId } = chooseScope(call, scope);
  const strategy = name.slice('memory strategy '.length) as StrategyArgument;
  const change = await ctx.chatbot.setStrategy(place.session, scopeId, strategy, given);
  const lines = change.hidden ? explainHidden(words, change) : explainChange(words, change);
  await editDeferredReply(interaction, [...lines, ...(change.sendsNoHistory ? [words.carriesNothing] : [])].join('\n'));
}

/** The text of a change for the server that a nearer scope's setting hides here. */
function explainHidden(words: Words, { savedText, afterText, origin }: Change): string[] {
  const { strategyHidden: sentences, settings } = words;
  return [
    savedText === null ? settings.removed.server : sentences.savedForServer(inlineCode(savedText)),
    sentences[origin === 'channel' ? 'channel' : 'here'](inlineCode(afterText)),
  ];
}

function explainChange(words: Words, { before, after, beforeText, afterText, origin }: Change): string[] {
  return [
    words.strategyNow(inlineCode(afterText), words.origins[origin]),
    words.strategyBefore(inlineCode(beforeText)),
    words.strategyChanged(words.load(before.messages, before.tokens), words.load(after.messages, after.tokens)),
  ];
}

/** `/memory summarize`: folds now, and tells how many folds that took. */
async function summarize(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'channel');
  const folds = await ctx.chatbot.summarize(place.session);
  const { strategy } = await ctx.chatbot.settings(place.session);
  await editDeferredReply(
    interaction,
    folds === null ? words.notSummarizing(strategy.value.name) : words.summarized(folds),
  );
}
