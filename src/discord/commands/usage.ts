import type { UsageBy, UsageSum } from '../../chatbot/accounts.js';
import type { Words } from '../../words/en.js';
import { answer } from '../answers.js';
import { bar } from '../bar.js';
import { missingRight } from '../rights.js';
import { channelIdOf } from '../session.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/usage`: what was used, by person, channel or day; others' use only to those who manage the server. */
export const usage: SlashCommand = { data: buildCommand('usage'), firstReply: () => 'private', execute };

const LINES = 15;
const DAYS = 7;

async function execute(call: CommandCall): Promise<void> {
  const { door, interaction, place, words, options } = call;
  const by = (options.by ?? 'person') as UsageBy;
  const days = typeof options.days === 'number' ? options.days : DAYS;
  const hidden = missingRight(call, 'server');
  const author = hidden === null ? null : interaction.user.id;
  const sums = await door.chatbot.accounts.usage(place.session, by, days, author);
  const note = hidden === null ? [] : [words.usage.onlyYours(words.rights[hidden])];
  await answer(interaction, [`**${words.usage.heading(days)}**`, ...explainSums(words, by, sums), ...note].join('\n'));
}

function explainSums(words: Words, by: UsageBy, sums: readonly UsageSum[]): string[] {
  if (sums.length === 0) return [words.usage.none];
  const most = Math.max(...sums.map(({ tokens }) => tokens));
  const shown = by === 'day' ? sums.slice(-LINES) : sums.slice(0, LINES);
  const lines = shown.map(
    ({ key, tokens, calls }) =>
      `\`${bar(tokens, most)}\` ${nameOf(words, by, key)}: ${words.usage.line(tokens, calls)}`,
  );
  return sums.length > LINES ? [...lines, words.usage.more(sums.length - LINES)] : lines;
}

/** Discord shows ids between these marks by their names, and pings nobody, since no answer of ours does. */
function nameOf(words: Words, by: UsageBy, key: string): string {
  if (by === 'day') return key;
  if (by === 'channel') return `<#${channelIdOf(key) ?? key}>`;
  return key === '' ? words.usage.summaries : `<@${key}>`;
}
