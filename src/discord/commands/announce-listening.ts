import type { ResolvedSettings } from '../../conversation/settings.js';
import { NO_PINGS } from '../answers.js';
import { announceBy } from '../listening.js';
import type { Call } from './command.js';

/** Says in the channel that all its talk is remembered from now on, when a change has turned that on. */
export async function announceListening(
  { door, interaction, place, words }: Call,
  before: ResolvedSettings,
  after: ResolvedSettings,
  turnedOn: boolean,
): Promise<void> {
  const begins = before.listen.value !== 'all' && after.listen.value === 'all';
  if (!begins && !turnedOn) return;
  // A follow-up reaches the channel even where the bot may not write.
  await announceBy(door, place.session, after.listen.since, () =>
    interaction.followUp({ content: words.settings.listeningToAll, allowedMentions: NO_PINGS }),
  );
}
