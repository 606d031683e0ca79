import type { BudgetReport } from '../../chatbot/accounts.js';
import { CommandError } from '../../conversation/errors.js';
import { serverScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import { answer } from '../answers.js';
import { bar } from '../bar.js';
import { requireRight } from '../rights.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/budget`: how many tokens a day a server and each person in it may use. */
export const budget: SlashCommand = { data: buildCommand('budget'), firstReply: () => 'private', execute };

async function execute(call: CommandCall): Promise<void> {
  if (call.name !== 'budget show') await change(call);
  const report = await call.door.chatbot.accounts.budget(call.place.session, call.interaction.user.id);
  const first = call.name === 'budget show' ? [] : [changeLine(call, report)];
  await answer(call.interaction, [...first, ...explainBudget(call.words, report)].join('\n'));
}

async function change(call: CommandCall): Promise<void> {
  const { door, place, words, name, options } = call;
  if (place.session.serverId === null) throw new CommandError('not-allowed', words.refusals.noServer);
  requireRight(call, 'server');
  const { server_tokens: server, person_tokens: person } = options;
  const given = {
    ...(typeof server === 'number' && { server }),
    ...(typeof person === 'number' && { person }),
  };
  const reset = name === 'budget reset';
  if (!reset && Object.keys(given).length === 0) throw new CommandError('bad-option', words.budget.nothingSet);
  await door.chatbot.accounts.setBudget(serverScope(place.session.serverId), reset ? null : given);
}

/** The owner's ceiling stands above what a server sets, and says so where it does. */
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
