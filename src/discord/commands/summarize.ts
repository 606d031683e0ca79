import { answer } from '../answers.js';
import { requireRight } from '../rights.js';
import type { CommandCall } from './command.js';

/** `/memory summarize`: folds now, and tells what that took. */
export async function summarize(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  requireRight(call, 'channel');
  const folds = await door.chatbot.summarize(place.session);
  const { strategy } = await door.chatbot.settings(place.session);
  await answer(interaction, folds === null ? words.notSummarizing(strategy.value.name) : words.summarized(folds));
}
