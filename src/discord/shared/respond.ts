import {
  DiscordAPIError,
  type Interaction,
  type InteractionEditReplyOptions,
  MessageFlags,
  RESTJSONErrorCodes,
  type RepliableInteraction,
} from 'discord.js';
import { BudgetError, type ErrorCode, KeepsakeError } from '../../conversation/errors.js';
import type { Words } from '../../words/en.js';
import { wordsFor } from '../../words/index.js';
import { type BotContext, wordsAt } from './context.js';
import { cut } from './format.js';
import { placeOf } from './incoming.js';

/** Units that Discord allows in one message. */
const MESSAGE_UNITS = 2_000;

/** Lets nothing that is sent ping anybody. */
export const NO_PINGS = { parse: [] };

/** Shows the answer of an interaction that was deferred; without pings. */
export async function answer(
  interaction: RepliableInteraction,
  given: string | InteractionEditReplyOptions,
): Promise<void> {
  const payload = typeof given === 'string' ? { content: cut(given, MESSAGE_UNITS) } : given;
  await interaction.editReply({ ...payload, allowedMentions: NO_PINGS });
}

/** Says one sentence to the asker alone, however far the interaction has come. */
export async function tellPrivately(interaction: RepliableInteraction, sentence: string): Promise<void> {
  const content = cut(sentence, MESSAGE_UNITS);
  const note = { content, flags: MessageFlags.Ephemeral, allowedMentions: NO_PINGS } as const;
  if (!interaction.deferred && !interaction.replied) {
    await interaction.reply(note);
  } else if (interaction.deferred && !interaction.replied && interaction.ephemeral === true) {
    await interaction.editReply({ content, allowedMentions: NO_PINGS });
  } else {
    const waits = interaction.deferred && !interaction.replied && !interaction.isMessageComponent();
    // A deferral fixes who sees the answer; a public one has to go before a private one can be given.
    if (waits) await interaction.deleteReply();
    await interaction.followUp(note);
  }
}

/** What Discord says when an interaction is gone, or was answered before: nobody can be told any more. */
const GONE: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
];

/** Codes whose errors carry the sentence for their reader, with the very option or right. */
const SPEAKING: readonly ErrorCode[] = ['bad-option', 'unknown-command', 'not-allowed'];

/** Says to the asker, in one sentence, why something failed; what nobody can be told is logged. Never throws. */
export async function answerFailure(ctx: BotContext, interaction: Interaction, error: unknown): Promise<void> {
  try {
    if (isGone(error)) return void ctx.logger.info({ error }, 'interaction could not be answered in time');
    if (!(error instanceof KeepsakeError)) ctx.logger.error({ error }, 'interaction failed');
    if (!interaction.isRepliable()) return;
    const words = await wordsAt(ctx, placeOf(interaction), interaction.locale).catch(() =>
      wordsFor(interaction.locale),
    );
    await tellPrivately(interaction, sentenceOf(words, error));
  } catch (failure) {
    if (isGone(failure)) ctx.logger.info({ error: failure }, 'interaction could not be answered in time');
    else ctx.logger.warn({ error: failure }, 'failure could not be told');
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
