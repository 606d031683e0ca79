import type { Interaction } from 'discord.js';
import { BudgetError, type ErrorCode, KeepsakeError } from '../../conversation/errors.js';
import type { Words } from '../../words/en.js';
import { wordsFor } from '../../words/index.js';
import { type BotContext, wordsAt } from './context.js';
import { placeOf } from './incoming.js';
import { isInteractionGone, replyPrivately } from './respond.js';

/** Tells the asker in one sentence why an interaction failed; logs what nobody can be told. Never throws. */
export async function replyWithError(ctx: BotContext, interaction: Interaction, error: unknown): Promise<void> {
  try {
    if (isInteractionGone(error)) return void ctx.logger.info({ error }, 'skipped an interaction that has expired');
    if (!(error instanceof KeepsakeError)) ctx.logger.error({ error }, 'failed to handle an interaction');
    if (!interaction.isRepliable()) return;
    const words = await wordsAt(ctx, placeOf(interaction), interaction.locale).catch(() =>
      wordsFor(interaction.locale),
    );
    await replyPrivately(interaction, errorMessageFor(words, error));
  } catch (failure) {
    if (isInteractionGone(failure)) ctx.logger.info({ error: failure }, 'skipped an interaction that has expired');
    else ctx.logger.warn({ error: failure }, 'failed to tell why an interaction failed');
  }
}

/** Codes whose errors carry a sentence for their reader, with the very option or right. */
const SELF_EXPLAINING: readonly ErrorCode[] = ['bad-option', 'unknown-command', 'not-allowed'];

/** The sentence that a person is told of an error. */
export function errorMessageFor(words: Words, error: unknown): string {
  if (!(error instanceof KeepsakeError)) return words.unforeseen;
  if (error instanceof BudgetError) return words.budget.usedUp[error.whose](error.opensAt);
  return SELF_EXPLAINING.includes(error.code) ? error.message : words.errors[error.code];
}
