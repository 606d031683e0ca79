import { DiscordAPIError, type Interaction, RESTJSONErrorCodes } from 'discord.js';
import { BudgetError, type ErrorCode, KeepsakeError } from '../conversation/errors.js';
import type { Words } from '../words/en.js';
import { wordsFor } from '../words/index.js';
import { tellPrivately } from './answers.js';
import type { Door } from './door.js';
import { wordsAt } from './localize.js';
import { placeOf } from './place.js';

/** What Discord says when an interaction is gone, or was answered before: nobody can be told any more. */
const GONE: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
];

/** Codes whose errors carry the sentence for their reader, with the very option or right. */
const SPEAKING: readonly ErrorCode[] = ['bad-option', 'unknown-command', 'not-allowed'];

/** Says to the asker, in one sentence, why something failed; what nobody can be told is logged. Never throws. */
export async function answerFailure(door: Door, interaction: Interaction, error: unknown): Promise<void> {
  try {
    if (isGone(error)) return void door.logger.info({ error }, 'interaction could not be answered in time');
    if (!(error instanceof KeepsakeError)) door.logger.error({ error }, 'interaction failed');
    if (!interaction.isRepliable()) return;
    const words = await wordsAt(door, placeOf(interaction), interaction.locale).catch(() =>
      wordsFor(interaction.locale),
    );
    await tellPrivately(interaction, sentenceOf(words, error));
  } catch (failure) {
    if (isGone(failure)) door.logger.info({ error: failure }, 'interaction could not be answered in time');
    else door.logger.warn({ error: failure }, 'failure could not be told');
  }
}

/** What a person is told of an error. */
export function sentenceOf(words: Words, error: unknown): string {
  if (!(error instanceof KeepsakeError)) return words.unforeseen;
  if (error instanceof BudgetError) return words.budget.usedUp[error.whose](error.opensAt);
  return SPEAKING.includes(error.code) ? error.message : words.errors[error.code];
}

function isGone(error: unknown): boolean {
  return error instanceof DiscordAPIError && GONE.includes(error.code);
}
