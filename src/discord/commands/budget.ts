import type { BudgetReport, UsageBy, UsageSum } from '../../chatbot/usage.js';
import { CommandError } from '../../conversation/errors.js';
import { serverScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import { channelIdOf } from '../shared/incoming.js';
import { editDeferredReply } from '../shared/respond.js';
import { missingRight, requireRight } from './authorization.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';

const CELLS = 12;

/** Draws a share of a whole as a bar of text, full from the whole on. */
function bar(part: number, whole: number): string {
  const filled = whole <= 0 ? 0 : Math.min(CELLS, Math.round((part / whole) * CELLS));
  return '█'.repeat(filled).padEnd(CELLS, '░');
}

/** `/budget`: shows and sets how many tokens a day a server and each person in it may use. */
export const budget: SlashCommand = { data: buildCommand('budget'), firstReply: () => 'private', execute };

async function execute(call: CommandCall): Promise<void> {
  if (call.name !== 'budget show') await change(call);
  const report = await call.ctx.chatbot.accounts.budget(call.place.session, call.interaction.user.id);
  const first = call.name === 'budget show' ? [] : [changeLine(call, report)];
  await editDeferredReply(call.interaction, [...first, ...explainBudget(call.words, report)].join('\n'));
}

async function change(call: CommandCall): Promise<void> {
  const { ctx, place, words, name, options } = call;
  if (place.session.serverId === null) throw new CommandError('not-allowed', words.refusals.noServer);
  requireRight(call, 'server');
  const { server_tokens: server, person_tokens: person } = options;
  const given = {
    ...(typeof server === 'number' && { server }),
    ...(typeof person === 'number' && { person }),
  };
  const reset = name === 'budget reset';
  if (!reset && Object.keys(given).length === 0) throw new CommandError('bad-option', words.budget.nothingSet);
  await ctx.chatbot.accounts.setBudget(serverScope(place.session.serverId), reset ? null : given);
}

/** Tells where the owner's ceiling is lower than what was set. */
function changeLine({ name, words }: CommandCall, { set, limits }: BudgetReport): string {
  if (name === 'budget reset') return words.budget.removed;
  const lowered = (['server', 'person'] as const).find((whose) => set[whose] !== null && set[whose] !== limits[whose]);
  const ceiling = lowered === undefined ? null : limits[lowered];
  return ceiling === null ? words.budget.saved : `${words.budget.saved} ${words.budget.lowered(ceiling)}`;
}

function explainBudget(words: Words, { limits, used, opensAt }: BudgetReport): string[] {
  const line = (whose: 'server' | 'person') => {
    const limit = limits[whose];
    const drawn = limit === null ? '' : `\`${bar(used[whose], limit)}\` `;
    return `${drawn}${words.budget[whose]}: ${words.budget.of(used[whose], limit)}`;
  };
  return [`**${words.budget.heading}**`, line('server'), line('person'), words.budget.opens(opensAt)];
}

/** `/usage`: shows what was used, by person, channel or day; others' use only to those who manage the server. */
export const usage: SlashCommand = { data: buildCommand('usage'), firstReply: () => 'private', execute: executeUsage };

const LINES = 15;
const DAYS = 7;

async function executeUsage(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words, options } = call;
  const by = (options.by ?? 'person') as UsageBy;
  const days = typeof options.days === 'number' ? options.days : DAYS;
  const hidden = missingRight(call, 'server');
  const author = hidden === null ? null : interaction.user.id;
  const sums = await ctx.chatbot.accounts.usage(place.session, by, days, author);
  const note = hidden === null ? [] : [words.usage.onlyYours(words.rights[hidden])];
  await editDeferredReply(
    interaction,
    [`**${words.usage.heading(days)}**`, ...explainSums(words, by, sums), ...note].join('\n'),
  );
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

/** Discord shows ids between these marks by their names; nothing that the bot sends pings. */
function nameOf(words: Words, by: UsageBy, key: string): string {
  if (by === 'day') return key;
  if (by === 'channel') return `<#${channelIdOf(key) ?? key}>`;
  return key === '' ? words.usage.summaries : `<@${key}>`;
}
